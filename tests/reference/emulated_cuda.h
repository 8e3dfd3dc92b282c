// CUDA C on the host, one block after another: threads are fibers that take turns at barriers and shuffles. For tests.
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <memory>
#include <utility>
#include <vector>

struct Index { int x, y; };
static Index threadIdx, blockIdx, blockDim, gridDim;
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct int4 { int x, y, z, w; };
struct uint4 { unsigned x, y, z, w; };
struct short4 { short x, y, z, w; };
struct ushort4 { unsigned short x, y, z, w; };
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline short4 make_short4(int x, int y, int z, int w) { return {(short)x, (short)y, (short)z, (short)w}; }
static inline ushort4 make_ushort4(int x, int y, int z, int w) {
  return {(unsigned short)x, (unsigned short)y, (unsigned short)z, (unsigned short)w};
}
#define __device__
#define __global__
#define __forceinline__ inline
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
template <class T> static inline T __ldg(const T* p) { return *p; }
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline T __ldcg(const T* p) { return *p; }
template <class T> static inline void __stcs(T* p, T x) { *p = x; }
template <class T> static inline void __stcg(T* p, T x) { *p = x; }
static inline int atomicAdd(int* p, int x) { const int before = *p; *p += x; return before; }
static inline void __threadfence() {}
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline int __float2int_rn(float x) { return (int)nearbyintf(x); }
static inline float __int_as_float(int x) { float f; memcpy(&f, &x, 4); return f; }
static inline unsigned __float_as_uint(float x) { unsigned u; memcpy(&u, &x, 4); return u; }
template <class T> static inline T min(T a, T b) { return a < b ? a : b; }

// fibers of one block
struct Fiber { ucontext_t context; std::unique_ptr<char[]> stack; bool over; Index at; };
static std::vector<Fiber> fibers;
static ucontext_t scheduler;
static int current;
struct Barrier { int arrived = 0; unsigned round = 0; };
static Barrier barriers[64];        // 0: the block; 1 ..: teams
static Barrier warp_barriers[64];
static double exchanged[64][32];

static void give_way() { swapcontext(&fibers[current].context, &scheduler); }
static void wait_for(Barrier& b, int number) {
  const unsigned round = b.round;
  if (++b.arrived == number) { b.arrived = 0; ++b.round; return; }
  while (b.round == round) give_way();
}
static int flat_thread() { return threadIdx.y * blockDim.x + threadIdx.x; }
static void __syncthreads() { wait_for(barriers[0], blockDim.x * blockDim.y); }
static int __syncthreads_or(int x) {
  static int any;
  if (x) any = 1;
  __syncthreads();
  const int found = any;
  __syncthreads();
  any = 0;
  __syncthreads();
  return found;
}
static void __syncwarp() { wait_for(warp_barriers[flat_thread() / 32], 32); }
static void team_barrier(int name, int number) { wait_for(barriers[name], number); }
template <class T> static T exchange(T x, int from) {
  const int warp = flat_thread() / 32, lane = flat_thread() % 32;
  exchanged[warp][lane] = (double)x;
  __syncwarp();
  const T found = (T)exchanged[warp][from];
  __syncwarp();
  return found;
}
template <class T> static T __shfl_sync(unsigned, T x, int from) { return exchange(x, from); }
template <class T> static T __shfl_xor_sync(unsigned, T x, int mask) { return exchange(x, (flat_thread() % 32) ^ mask); }
template <class T> static T __shfl_up_sync(unsigned, T x, int by) {
  const int lane = flat_thread() % 32;
  return exchange(x, lane >= by ? lane - by : lane);
}
template <class T> static T __shfl_down_sync(unsigned, T x, int by) {
  const int lane = flat_thread() % 32;
  return exchange(x, lane + by < 32 ? lane + by : lane);
}

static void (*work)(void**);
static void** given;
static void fiber_main() { work(given); fibers[current].over = true; give_way(); }

static void run_grid(void (*kernel)(void**), void** arguments, int blocks, int width, int height) {
  work = kernel; given = arguments; gridDim = {blocks, 1}; blockDim = {width, height};
  const int number = width * height, room = 1 << 16;
  fibers.resize(number);
  for (int b = 0; b < blocks; ++b) {
    blockIdx = {b, 0};
    for (int t = 0; t < number; ++t) {
      Fiber& f = fibers[t];
      if (!f.stack) f.stack.reset(new char[room]);
      f.over = false; f.at = {t % width, t / width};
      getcontext(&f.context);
      f.context.uc_stack.ss_sp = f.stack.get(); f.context.uc_stack.ss_size = room; f.context.uc_link = 0;
      makecontext(&f.context, fiber_main, 0);
    }
    for (int left = number; left;) {
      left = 0;
      for (current = 0; current < number; ++current)
        if (!fibers[current].over) {
          threadIdx = fibers[current].at;
          swapcontext(&scheduler, &fibers[current].context);
          left += !fibers[current].over;
        }
    }
  }
}

template <class... A, size_t... K> static void unpack(void (*f)(A...), void** arguments, std::index_sequence<K...>) {
  f(*(std::remove_const_t<std::remove_reference_t<A>>*)arguments[K]...);
}
#define EMULATE(name) \
  static void call_##name(void** a) { spread(name, a); } \
  extern "C" void emulate_##name(int blocks, int width, int height, void** a) { run_grid(call_##name, a, blocks, width, height); }
template <class... A> static void spread(void (*f)(A...), void** a) { unpack(f, a, std::index_sequence_for<A...>{}); }
