// Boards on which hands play by rows of buckets: a block of threads walks the lines of a street depth first (`walk_program.py`).
// A thread keeps four hands, THREADS places apart, so that neighbours in strength look at neighbouring sums; both players can hold the same
// hands, so their reach and my values have the same places. What a row of reach pays is looked up in prefix sums, as in `board_passes.cu`.
// Nothing is added up in an order that depends on timing.
//
// Known when compiled: THREADS of a block, ENTRIES of a thread in sums over (card, hand) entries, BLOCKS wanted on a multiprocessor, LAST,
// whether no card follows, WALK_BYTES, the size of the argument.

#define PLACES (4 * THREADS)  // of a row; the last one is always empty
#define WARPS (THREADS / 32)
#define PAIRS ((ENTRIES + 1) / 2)
#define ALL 0xffffffffu
#define DUST 2e-6f  // sums of reach are exact to about this share of the whole
#define CARDS 64
#define KEPT ((CARDS + THREADS - 1) / THREADS)  // cards of a thread
#define LOWEST -3.4e38f
#define EACH _Pragma("unroll") for (int e = 0; e < 4; ++e)
#define AT(base, bytes) (*(const float*)((const char*)(base) + (bytes)))

enum { REACH, EVALUATE, PAY, DEALT, OPEN, ACT, CLOSE, END };
enum { RESPOND, BOTH, LEARN };  // my best response, my rows beside it, my rows and what each action gains

struct Walk {
  const int4* steps; const int4* roots; const int* groups;
  const float* their_rows; const float* my_rows;  // [slot][bucket]
  const float* reach_above;  // [board before][root][places before]
  float* reach_below;        // [board][root of the next street][place]
  const float* best_below; const float* value_below;  // the same of my best response and of my rows
  float* best_above; float* value_above;              // [board before][root][places before]
  const uint4* hands;             // [board][place] where a hand looks
  const unsigned* entries;        // [board][pair][thread] two hands of the opponent
  const unsigned short* starts;   // [board][card] where its entries begin
  const short* order;             // [board][place] place on the board before, its last one in the padding
  const int* bucket;              // [board][place]
  const int* count; const float* share; const int* first_child;
  float* gain; float* entered;    // [slot][board of the part][place] in learning: what an action gains, the opponent's reach after it
  int number, all_roots, next_roots, before, buckets, rows, first_board, boards;
  float factor;
};

static_assert(sizeof(Walk) == WALK_BYTES, "WALK of device_walks.py has other fields");

struct Four { float v[4]; };
#define OWN(e) (threadIdx.x + (e) * THREADS)  // place of a hand of this thread
__device__ __forceinline__ Four load(const float* row) { Four out; EACH out.v[e] = row[OWN(e)]; return out; }
__device__ __forceinline__ void store(float* row, const Four& x) { EACH row[OWN(e)] = x.v[e]; }
__device__ __forceinline__ bool any(const Four& x) { return x.v[0] != 0.f || x.v[1] != 0.f || x.v[2] != 0.f || x.v[3] != 0.f; }

// what a thread knows of its hands on one board, and of the entries and cards that it adds up
struct Hands { uint4 at[4]; unsigned entry[PAIRS]; int bucket[4]; unsigned start[KEPT]; };

__device__ __forceinline__ Hands hands_of(const Walk& w, int b) {
  Hands out;
  const size_t first = (size_t)b * PLACES;
  EACH {
    out.at[e] = __ldg(w.hands + first + OWN(e));
    out.bucket[e] = __ldg(w.bucket + first + OWN(e));
  }
#pragma unroll
  for (int k = 0; k < PAIRS; ++k) out.entry[k] = __ldg(w.entries + ((size_t)b * PAIRS + k) * THREADS + threadIdx.x);
#pragma unroll
  for (int k = 0; k < KEPT; ++k) {
    const int card = min(OWN(k), CARDS - 2);
    out.start[k] = w.starts[b * CARDS + card] | (unsigned)w.starts[b * CARDS + card + 1] << 16;
  }
  return out;
}

// the probability that each hand takes an action
__device__ __forceinline__ Four played(const float* rows, const Walk& w, int slot, const Hands& hands) {
  const float* row = rows + (size_t)slot * w.buckets;
  Four out;
  EACH out.v[e] = __ldg(row + hands.bucket[e]);
  return out;
}

extern __shared__ __align__(16) float shared[];  // rows of reach, then what own nodes that are open hold

struct Sums {  // in shared memory: over hands in order of strength, over entries in order of cards, by card: of both ends, between; by warp
  float hand[PLACES]; float entry[THREADS * ENTRIES + 4]; float ends[CARDS]; float card[CARDS]; float2 warp[WARPS];
};

// What a row of reach pays each of my hands per chip. All threads have written the row.
__device__ __forceinline__ void evaluate(const Walk& w, int b, const Hands& hands, const float* row, int asked, Sums& sums, Four& show, Four& fold) {
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const float4 next = *(const float4*)(row + 4 * t);  // neighbours, whoever keeps them
  float entry[2 * PAIRS], all_hands = next.x + next.y + next.z + next.w, all = 0.f;
#pragma unroll
  for (int k = 0; k < PAIRS; ++k) {
    entry[2 * k] = all;
    all += AT(row, hands.entry[k] & 65535);
    entry[2 * k + 1] = all;
    if (2 * k + 1 < ENTRIES) all += AT(row, hands.entry[k] >> 16);
  }
  Four same = {};  // the opponent's same hand, which others may keep: read before the last barrier, since they may write the row after it
  if (asked & 2) EACH if (hands.at[e].w >> 16) same.v[e] = AT(row, (hands.at[e].w >> 16) - 4);
  float before = all_hands, entries_before = all;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const float x = __shfl_up_sync(ALL, before, o), y = __shfl_up_sync(ALL, entries_before, o);
    if (lane >= o) { before += x; entries_before += y; }
  }
  if (lane == 31) sums.warp[warp] = make_float2(before, entries_before);
  before -= all_hands;
  entries_before -= all;
  __syncthreads();
  float total = 0.f;
#pragma unroll
  for (int k = 0; k < WARPS; ++k) {
    const float2 part = sums.warp[k];
    total += part.x;
    if (k < warp) { before += part.x; entries_before += part.y; }
  }
  if (LAST && (asked & 1)) {
    const float second = before + next.x, third = second + next.y;
    *(float4*)(sums.hand + 4 * t) = make_float4(before, second, third, third + next.z);
  }
#pragma unroll
  for (int k = 0; k < ENTRIES; ++k) sums.entry[t * ENTRIES + k] = entry[k] + entries_before;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < KEPT; ++k)
    if (OWN(k) < CARDS) {
      const float first = AT(sums.entry, hands.start[k] & 65535), last = AT(sums.entry, hands.start[k] >> 16);
      sums.ends[OWN(k)] = first + last;
      sums.card[OWN(k)] = last - first;
    }
  __syncthreads();
  const float dust = total * DUST;
  EACH {
    const uint4 at = hands.at[e];
    if (LAST && (asked & 1)) {
      float v = AT(sums.hand, at.x & 65535) + AT(sums.hand, at.x >> 16) - total;
      v -= AT(sums.entry, at.y & 65535) + AT(sums.entry, at.y >> 16) - AT(sums.ends, at.w & 255);
      v -= AT(sums.entry, at.z & 65535) + AT(sums.entry, at.z >> 16) - AT(sums.ends, at.w >> 8 & 255);
      show.v[e] = fabsf(v) > dust ? v : 0.f;
    }
    if (asked & 2) {
      const float v = total - AT(sums.card, at.w & 255) - AT(sums.card, at.w >> 8 & 255) + same.v[e];
      fold.v[e] = fabsf(v) > dust ? v : 0.f;
    }
  }
}

// Where a slot's numbers of a board are, in learning.
__device__ __forceinline__ float* learned(float* table, const Walk& w, int slot, int b) {
  return table + ((size_t)slot * w.boards + (b - w.first_board)) * PLACES;
}

// What a root is worth to each of my hands: `best` by a best response, `mixed` by my rows. `reach` has the opponent's at row 0.
template <int MODE>
__device__ __forceinline__ void values_of(const Walk& w, int b, const int4& root, const Hands& hands, float* reach, float* open, Sums& sums,
    Four& best, Four& mixed) {
  constexpr bool responds = MODE != LEARN, plays = MODE != RESPOND;
  constexpr int rows = 2 * (responds + plays);
  Four top = {}, value = {}, show = {}, fold = {};  // of the own node that is open; of the row evaluated last
  best = mixed = Four{};
  int4 next = __ldg(w.steps + root.y);
  for (int at = root.y; at < root.z;) {
    const int4 step = next;
    const int kind = step.x & 255;
    next = __ldg(w.steps + ++at);  // one more than there are
    if (kind == REACH) {
      const Four p = played(w.their_rows, w, step.z, hands);
      Four x = load(reach + (step.x >> 16) * PLACES);
      EACH x.v[e] *= p.v[e];
      store(reach + (step.x >> 8 & 255) * PLACES, x);
      if (MODE == LEARN) {
        store(learned(w.entered, w, step.z, b), x);
        __syncthreads();
      } else if (!__syncthreads_or(any(x))) next = __ldg(w.steps + (at = step.w));
    } else if (kind == EVALUATE) {
      evaluate(w, b, hands, reach + (step.x >> 16) * PLACES, step.z, sums, show, fold);
    } else if (kind == PAY) {
      const float shown = __int_as_float(step.z), folded = __int_as_float(step.w);
      EACH {
        const float x = shown * show.v[e] + folded * fold.v[e];
        if (responds) best.v[e] += x;
        if (plays) mixed.v[e] += x;
      }
    } else if (kind == END || kind == ACT) {
      const int slot = kind == END ? step.y : step.z;
      if (kind == END) {
        const float shown = __int_as_float(step.z), folded = __int_as_float(step.w);
        EACH best.v[e] = mixed.v[e] = shown * show.v[e] + folded * fold.v[e];
      }
      if (responds) EACH top.v[e] = fmaxf(top.v[e], best.v[e]);
      if (plays) {
        const Four p = played(w.my_rows, w, slot, hands);
        EACH value.v[e] += p.v[e] * mixed.v[e];
      }
      if (MODE == LEARN) store(learned(w.gain, w, slot, b), mixed);
      best = mixed = Four{};
    } else if (kind == OPEN) {
      if (responds) { store(open, top); store(open + PLACES, best); }
      if (plays) { store(open + (rows - 2) * PLACES, value); store(open + (rows - 1) * PLACES, mixed); }
      open += rows * PLACES;
      EACH top.v[e] = LOWEST;
      value = best = mixed = Four{};
    } else if (kind == CLOSE) {
      open -= rows * PLACES;
      if (MODE == LEARN)
        for (int a = 0; a < step.w; ++a) {
          float* gain = learned(w.gain, w, step.z + a, b);
          Four x = load(gain);
          EACH x.v[e] -= value.v[e];
          store(gain, x);
        }
      if (responds) {
        best = load(open + PLACES);
        EACH best.v[e] += top.v[e];
        top = load(open);
      }
      if (plays) {
        mixed = load(open + (rows - 1) * PLACES);
        EACH mixed.v[e] += value.v[e];
        value = load(open + (rows - 2) * PLACES);
      }
    }
#if !LAST
    else {  // DEALT
      const size_t from = ((size_t)b * w.next_roots + step.z) * PLACES;
      if (responds) {
        const Four x = load(w.best_below + from);
        EACH best.v[e] += x.v[e];
      }
      if (plays) {
        const Four x = load(w.value_below + from);
        EACH mixed.v[e] += x.v[e];
      }
    }
#endif
  }
}

// The opponent's reach where a root begins; whether there is any.
__device__ __forceinline__ bool enter(const Walk& w, int parent, int b, int root, float* reach) {
  const float* above = w.reach_above + ((size_t)parent * w.all_roots + root) * w.before;
  Four x;
  EACH x.v[e] = above[w.order[(size_t)b * PLACES + OWN(e)]] * w.factor;
  __syncthreads();  // those who still read the row
  store(reach, x);
  return __syncthreads_or(any(x));
}

// Values of a group of roots, added up over all boards after one board before: one block.
template <int MODE>
__device__ __forceinline__ void walk_up(const Walk& w) {
  __shared__ __align__(16) Sums sums;
  float* open = shared + w.rows * PLACES;
  const int parent = blockIdx.x / w.number, group = blockIdx.x % w.number;
  const int first = w.groups[group], last = w.groups[group + 1];
  for (int b = w.first_child[parent]; b < w.first_child[parent + 1]; ++b) {
    const Hands hands = hands_of(w, b);
    const float share = w.share[b];
    const int count = w.count[b];
    for (int r = first; r < last; ++r) {
      const int4 root = w.roots[r];
      if (!enter(w, parent, b, root.x, shared) && MODE != LEARN) continue;
      Four best, mixed;
      values_of<MODE>(w, b, root, hands, shared, open, sums, best, mixed);
      const size_t out = ((size_t)parent * w.all_roots + root.x) * w.before;
      EACH if (OWN(e) < count) {  // each place belongs to one hand of this board
        const size_t to = out + w.order[(size_t)b * PLACES + OWN(e)];
        if (MODE != LEARN) w.best_above[to] += share * best.v[e];
        if (MODE != RESPOND) w.value_above[to] += share * mixed.v[e];
      }
    }
    __syncthreads();  // the next board finds hands in other threads
  }
}

#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
KERNEL respond(const __grid_constant__ Walk w) { walk_up<RESPOND>(w); }
KERNEL respond_and_value(const __grid_constant__ Walk w) { walk_up<BOTH>(w); }

#if LAST
KERNEL learn(const __grid_constant__ Walk w) { walk_up<LEARN>(w); }

// Sums over the hands of a bucket, [slot][bucket], added to `out`: one warp for each. `members` are hands (board of the part * PLACES +
// place) in order of buckets, those of a bucket from `first` on.
extern "C" __global__ void collect(const float* table, const int* members, const int* first, const float* share, double* out, int slots,
    int buckets, int boards) {
  const long long number = ((long long)blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (number >= (long long)slots * buckets) return;
  const int slot = (int)(number / buckets), bucket = (int)(number % buckets), lane = threadIdx.x & 31;
  const float* row = table + (size_t)slot * boards * PLACES;
  double sum = 0.0;
  for (int i = first[bucket] + lane; i < first[bucket + 1]; i += 32) {
    const int at = members[i];
    sum += (double)share[at / PLACES] * (double)row[at];
  }
#pragma unroll
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(ALL, sum, o);
  if (!lane) out[number] += sum;
}
#endif

#if !LAST
// The opponent's reach where cards come after one board, for a group of roots: one block. What is not reached stays empty.
KERNEL reach_deals(const __grid_constant__ Walk w, const int* parents) {
  const int b = blockIdx.x / w.number, group = blockIdx.x % w.number;
  const Hands hands = hands_of(w, b);
  for (int r = w.groups[group]; r < w.groups[group + 1]; ++r) {
    const int4 root = w.roots[r];
    if (!enter(w, parents[b], b, root.x, shared)) continue;
    for (int at = root.y; at < root.z; ++at) {
      const int4 step = __ldg(w.steps + at);
      Four x = load(shared + (step.x >> 16) * PLACES);
      if ((step.x & 255) == REACH) {
        const Four p = played(w.their_rows, w, step.z, hands);
        EACH x.v[e] *= p.v[e];
        store(shared + (step.x >> 8 & 255) * PLACES, x);
      } else {
        store(w.reach_below + ((size_t)b * w.next_roots + step.z) * PLACES, x);
      }
    }
  }
}

// Values [board][root][place] where relabellings of suits leave the board as it is: each hand gets the sum over its images, in place.
// One block for each board and root.
extern "C" __global__ void over_suits(float* values, const int* first_image, const short* images, const unsigned short* low, int roots) {
  __shared__ float whole[PLACES];
  const int b = blockIdx.x / roots, first = first_image[b], last = first_image[b + 1];
  if (first == last) return;
  float* row = values + (size_t)blockIdx.x * PLACES;
  for (int h = threadIdx.x; h < PLACES; h += blockDim.x) whole[h] = row[h];
  __syncthreads();
  for (int h = threadIdx.x; h < PLACES; h += blockDim.x) {
    const int at = low[(size_t)b * PLACES + h];
    float x = whole[at];
    for (int g = first; g < last; ++g) x += whole[images[(size_t)g * PLACES + at]];
    row[h] = x;
  }
}
#endif
