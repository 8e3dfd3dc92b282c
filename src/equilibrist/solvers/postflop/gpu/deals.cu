// Between streets and at the end: values over the cards to be dealt, sums over hands, the count of iterations.

// out[board][root][hand]: values of the boards below, by their shares, and of the relabellings of suits of this board.
// One block for each board and root; 32 x 8 threads take four hands each and every eighth board; `whole` has room for all hands.
extern "C" __global__ void gather_deals(const float* below, const int* first_child, const float* share, const int* first_image,
    const short* images, const unsigned short* low, const int* count, float* out, const int* listed, int number, int roots, int places) {
  extern __shared__ __align__(16) float whole[];
  __shared__ __align__(16) float part[8][128];
  const int b = blockIdx.x / number, root = listed[blockIdx.x - b * number];
  const int lane = threadIdx.x, slice = threadIdx.y, flat = slice * 32 + lane;
  const int first = first_child[b], last = first_child[b + 1];
  for (int h = 0; h < places; h += 128) {
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    if (h + lane * 4 < places)
#pragma unroll 4
      for (int c = first + slice; c < last; c += 8) {
        const float4 x = __ldcs((const float4*)(below + ((size_t)c * roots + root) * places + h + lane * 4));
        const float w = share[c];
        sum.x += w * x.x; sum.y += w * x.y; sum.z += w * x.z; sum.w += w * x.w;
      }
    *(float4*)&part[slice][lane * 4] = sum;
    __syncthreads();
    if (flat < 128 && h + flat < places) {
      float x = 0.f;
#pragma unroll
      for (int k = 0; k < 8; ++k) x += part[k][flat];
      whole[h + flat] = x;
    }
    __syncthreads();
  }
  for (int h = flat; h < count[b]; h += 256) {
    const int at = low[(size_t)b * places + h];
    float x = whole[at];
    for (int g = first_image[b]; g < first_image[b + 1]; ++g) x += whole[images[(size_t)g * places + at]];
    out[((size_t)b * roots + root) * places + h] = x;
  }
}

// Called all-ins before the last card: what my hands get per chip against each of the opponent's, cards to come averaged.
// One block for each board and hand of the opponent; ranks [board below][place here] are -1 where a hand is not there.
extern "C" __global__ void allin_matrix(const short* my_rank, const short* their_rank, const unsigned long long* my_cards,
    const unsigned long long* their_cards, const int* first_child, const float* share, float factor, float* matrix, int my_places,
    int their_places) {
  const int b = blockIdx.x / their_places, j = blockIdx.x - b * their_places;
  const unsigned long long taken = their_cards[(size_t)b * their_places + j];
  for (int i = threadIdx.x; i < my_places; i += blockDim.x) {
    float sum = 0.f;
    if (taken && !(taken & my_cards[(size_t)b * my_places + i]))
      for (int c = first_child[b]; c < first_child[b + 1]; ++c) {
        const int mine = my_rank[(size_t)c * my_places + i], theirs = their_rank[(size_t)c * their_places + j];
        if (mine >= 0 && theirs >= 0) sum += share[c] * (float)((mine > theirs) - (mine < theirs));
      }
    matrix[((size_t)b * their_places + j) * my_places + i] = sum * factor;
  }
}

#define LINES 4
// out[board][root][hand] for `listed` roots where both players are all-in: a product with the matrix, then relabellings of suits.
// One block for each board and four lines: blockDim.x hands at a time, blockDim.y parts of the opponent's hands.
extern "C" __global__ void allin_values(const float* matrix, const float* reach, const int* listed, const float* stake, int number,
    const int* first_image, const short* images, const unsigned short* low, const int* my_count, const int* their_count, float* out,
    int roots, int my_places, int their_places) {
  extern __shared__ __align__(16) float whole[];  // [LINES][my places], then [parts][LINES][blockDim.x]
  float* part = whole + LINES * my_places;
  const int groups = (number + LINES - 1) / LINES, b = blockIdx.x / groups, first = (blockIdx.x - b * groups) * LINES;
  const int parts = blockDim.y, wide = blockDim.x, count = their_count[b];
  const float* row[LINES];
#pragma unroll
  for (int q = 0; q < LINES; ++q) row[q] = reach + ((size_t)b * roots + listed[min(first + q, number - 1)]) * (their_places + 4);
  const float* m = matrix + (size_t)b * their_places * my_places;
  for (int h = 0; h < my_places; h += wide) {
    const int i = h + threadIdx.x;
    float sum[LINES] = {};
    if (i < my_places)
#pragma unroll 4
      for (int j = threadIdx.y; j < count; j += parts) {
        const float x = m[(size_t)j * my_places + i];
#pragma unroll
        for (int q = 0; q < LINES; ++q) sum[q] = fmaf(x, row[q][j], sum[q]);
      }
#pragma unroll
    for (int q = 0; q < LINES; ++q) part[(threadIdx.y * LINES + q) * wide + threadIdx.x] = sum[q];
    __syncthreads();
    for (int q = threadIdx.y; q < LINES; q += parts)
      if (i < my_places) {
        float x = 0.f;
        for (int k = 0; k < parts; ++k) x += part[(k * LINES + q) * wide + threadIdx.x];
        whole[q * my_places + i] = x;
      }
    __syncthreads();
  }
  for (int k = threadIdx.y * wide + threadIdx.x; k < LINES * my_count[b]; k += wide * parts) {
    const int q = k / my_count[b], h = k - q * my_count[b];
    if (first + q >= number) continue;
    const int at = low[(size_t)b * my_places + h];
    float x = whole[q * my_places + at];
    for (int g = first_image[b]; g < first_image[b + 1]; ++g) x += whole[q * my_places + images[(size_t)g * my_places + at]];
    out[((size_t)b * roots + listed[first + q]) * my_places + h] = x * stake[first + q];
  }
}

// Both players' values at the roots, weighted by their own hands, in double precision: one block for each player.
extern "C" __global__ void weigh(const float* weight0, const float* value0, int size0, const float* weight1, const float* value1, int size1,
    double* out) {
  __shared__ double part[256];
  const float* weight = blockIdx.x ? weight1 : weight0;
  const float* value = blockIdx.x ? value1 : value0;
  const int size = blockIdx.x ? size1 : size0;
  double sum = 0.0;
  for (int k = threadIdx.x; k < size; k += 256) sum += (double)weight[k] * (double)value[k];
  part[threadIdx.x] = sum;
  for (int half = 128; half; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (!threadIdx.x) out[blockIdx.x] = part[0];
}

extern "C" __global__ void count_iteration(int* iteration) { *iteration += 1; }
