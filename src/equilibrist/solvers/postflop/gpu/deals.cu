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
