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
// One block for each board and hand of the opponent; ranks [board below][place here] are -1 where a hand is not there. A row lies in shared
// memory until the relabellings of suits of the board are added up: a column for each hand, that of the first of those alike.
extern "C" __global__ void allin_matrix(const short* my_rank, const short* their_rank, const unsigned long long* my_cards,
    const unsigned long long* their_cards, const int* first_child, const float* share, const int* first_image, const short* images,
    const unsigned short* low, float factor, float* matrix, int my_places, int their_places) {
  extern __shared__ float row[];
  const int b = blockIdx.x / their_places, j = blockIdx.x - b * their_places;
  const unsigned long long taken = their_cards[(size_t)b * their_places + j];
  for (int i = threadIdx.x; i < my_places; i += blockDim.x) {
    float sum = 0.f;
    if (taken && !(taken & my_cards[(size_t)b * my_places + i]))
      for (int c = first_child[b]; c < first_child[b + 1]; ++c) {
        const int mine = my_rank[(size_t)c * my_places + i], theirs = their_rank[(size_t)c * their_places + j];
        if (mine >= 0 && theirs >= 0) sum += share[c] * (float)((mine > theirs) - (mine < theirs));
      }
    row[i] = sum * factor;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < my_places; i += blockDim.x) {
    const int at = low[(size_t)b * my_places + i];
    float x = row[at];
    for (int g = first_image[b]; g < first_image[b + 1]; ++g) x += row[images[(size_t)g * my_places + at]];
    matrix[(size_t)blockIdx.x * my_places + i] = x;
  }
}

#define LINES 16
#define SLICE 256
#define STRIDE (LINES + 4)
// out[board][root][hand] for `listed` roots where both players are all-in: a product with the matrix.
// One block of 32 x 8 threads for each board, 16 lines and 32 hands; each warp takes every eighth hand of the opponent.
extern "C" __global__ void __launch_bounds__(SLICE) allin_values(const float* matrix, const float* reach, const int* listed,
    const float* stake, int number, const int* game, const int* their_count, float* out, int roots, int my_places, int their_places) {
  __shared__ __align__(16) float rows[SLICE * STRIDE];  // of reach, then the parts of the warps
  const int tiles = my_places / 32, groups = (number + LINES - 1) / LINES;
  const int b = blockIdx.x / (tiles * groups), first = blockIdx.x / tiles % groups * LINES, i = blockIdx.x % tiles * 32 + threadIdx.x;
  const int flat = threadIdx.y * 32 + threadIdx.x, count = their_count[b];
  const float* m = matrix + (size_t)b * their_places * my_places + i;
  float sum[LINES] = {};
  for (int start = 0; start < count; start += SLICE) {
#pragma unroll
    for (int q = 0; q < LINES; ++q) {
      const float* row = reach + ((size_t)b * roots + listed[min(first + q, number - 1)]) * (their_places + 4);
      rows[flat * STRIDE + q] = start + flat < count ? row[start + flat] : 0.f;
    }
    __syncthreads();
    const int end = min(SLICE, count - start);
#pragma unroll 4
    for (int j = threadIdx.y; j < end; j += 8) {
      const float x = m[(size_t)(start + j) * my_places];
#pragma unroll
      for (int q = 0; q < LINES; q += 4) {
        const float4 r = *(const float4*)(rows + j * STRIDE + q);
        sum[q] = fmaf(x, r.x, sum[q]); sum[q + 1] = fmaf(x, r.y, sum[q + 1]);
        sum[q + 2] = fmaf(x, r.z, sum[q + 2]); sum[q + 3] = fmaf(x, r.w, sum[q + 3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < LINES; ++q) rows[(threadIdx.y * LINES + q) * 32 + threadIdx.x] = sum[q];
  __syncthreads();
  for (int q = threadIdx.y; q < LINES && first + q < number; q += 8) {
    float x = 0.f;
#pragma unroll
    for (int w = 0; w < 8; ++w) x += rows[(w * LINES + q) * 32 + threadIdx.x];
    out[((size_t)b * roots + listed[first + q]) * my_places + i] = x * stake[game[b] * number + first + q];
  }
}

// Both players' values at the roots, weighted by their own hands, in double precision, for each game [game][root][place]: one block for
// each game and player.
extern "C" __global__ void weigh(const float* weight0, const float* value0, int size0, const float* weight1, const float* value1,
    int size1, double* out) {
  __shared__ double part[256];
  const int game = blockIdx.x >> 1, me = blockIdx.x & 1, size = me ? size1 : size0;
  const float* weight = (me ? weight1 : weight0) + (size_t)game * size;
  const float* value = (me ? value1 : value0) + (size_t)game * size;
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
