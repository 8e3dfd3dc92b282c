// Iterations of games of one street, of which a batch has many: a block of threads plays several iterations of one game, both players'
// passes in turn, and goes on to the next game, so that tables stay in the cache meanwhile and no game waits for another.
//
// Known when compiled: as for board_passes.cu, with FIRST_ or SECOND_ before what is another for the passes of the two players.

#define ROUNDS 1
namespace first {
#define ACTIONS FIRST_ACTIONS
#define TEAM FIRST_TEAM
#define HAND_SUMS FIRST_HAND_SUMS
#define ENTRY_SUMS FIRST_ENTRY_SUMS
#define MODELLED FIRST_MODELLED
#define IN_PLACE FIRST_IN_PLACE
#define THEIR_PLACES FIRST_THEIR_PLACES
#define MY_PLACES FIRST_MY_PLACES
#define THEIR_BLOCK FIRST_THEIR_BLOCK
#define MY_BLOCK FIRST_MY_BLOCK
#define THEIR_TABLE FIRST_THEIR_TABLE
#define MY_TABLE FIRST_MY_TABLE
#include "board_passes.cu"
}  // namespace first

#undef ACTIONS
#undef TEAM
#undef HAND_SUMS
#undef ENTRY_SUMS
#undef MODELLED
#undef IN_PLACE
#undef ROW
#undef VALUE_ROW
#undef THEIR_PLACES
#undef MY_PLACES
#undef THEIR_BLOCK
#undef MY_BLOCK
#undef THEIR_TABLE
#undef MY_TABLE
namespace second {
#define ACTIONS SECOND_ACTIONS
#define TEAM SECOND_TEAM
#define HAND_SUMS SECOND_HAND_SUMS
#define ENTRY_SUMS SECOND_ENTRY_SUMS
#define MODELLED SECOND_MODELLED
#define IN_PLACE SECOND_IN_PLACE
#define THEIR_PLACES SECOND_THEIR_PLACES
#define MY_PLACES SECOND_MY_PLACES
#define THEIR_BLOCK SECOND_THEIR_BLOCK
#define MY_BLOCK SECOND_MY_BLOCK
#define THEIR_TABLE SECOND_THEIR_TABLE
#define MY_TABLE SECOND_MY_TABLE
#include "board_passes.cu"
}  // namespace second

// Iterations from .. upto - 1 of those whose weights lie on the device, a few of a game at a time: pieces are taken by ticket, those of later
// iterations after all earlier ones, so that no multiprocessor waits long for another. Who takes a piece changes nothing in it. `marks`, all 0:
// the next ticket, then how many pieces of each board are done; whoever has a piece waits for the one before, which was begun earlier.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
rounds(const __grid_constant__ first::Street a, const __grid_constant__ second::Street b, int from, int upto, int few, int* marks) {
  __shared__ int taken;
  const int number = *a.number, pieces = number * CHUNKS(upto - from, few);
  for (;;) {
    if (threadIdx.x == 0) taken = atomicAdd(marks, 1);
    __syncthreads();
    const int piece = taken;
    if (piece >= pieces) break;
    const int item = piece % number, before = piece / number, begun = from + before * few;
    volatile int* done = marks + 1 + a.listed[item];
    if (threadIdx.x == 0) {
      while (*done < before) {}
      __threadfence();
    }
    __syncthreads();
    for (int t = begun; t < min(begun + few, upto); ++t) {
      first::piece_down<LEARN>(a, item, a.weights + 4 * t);
      second::piece_down<LEARN>(b, item, b.weights + 4 * t);
    }
    if (threadIdx.x == 0) {
      __threadfence();
      *done = before + 1;
    }
  }
}
