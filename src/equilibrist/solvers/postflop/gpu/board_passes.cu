// One street of vector CFR for one updating player: the opponent's reach goes down, terminals are evaluated, values come up, regrets follow.
// A block of threads works on one group of betting lines of one board; `tree_program.py` says what the numbers of a program mean,
// `hand_tables.py` those of hands. Nothing is added up in an order that depends on timing, so runs repeat bit for bit.
//
// Known when compiled: PASS, one of LEARN, VALUE and RESPOND; ACTIONS, the most of a node; TEAM, warps that work on one row of terminals; HAND_SUMS and ENTRY_SUMS, elements of a
// lane in sums over hands and over entries;
// THEIR_PLACES and MY_PLACES, hands of a row of values; THREADS of a block and BLOCKS wanted on a multiprocessor; LAST, whether no card
// follows; FAR, whether rows lie in global memory; LONG, whether the program does; PREDICTIVE;
// IN_PLACE, whether rows of values lie where those of reach were; BATCH, whether many games of one shape are played side by side; LOCKED, whether a share of some hands has its strategy
// fixed; MODELLED, whether some hands of the opponent follow a model; BITS of a number in tables, 32 or 16; THEIR_BLOCK and MY_BLOCK, hands that one warp works on, with 16 bits those that share a scale;
// THEIR_TABLE and MY_TABLE, hands of a row of tables; STREET_BYTES, the size of the argument.

#define LEARN 0
#define VALUE 1
#define RESPOND 2
#define WARPS (THREADS / 32)
// the same in all lanes, which the compiler cannot know of threadIdx.x >> 5: addresses of rows then lie in uniform registers
#define WARP_OF_BLOCK __shfl_sync(ALL, threadIdx.x >> 5, 0)
#define LANES (32 * TEAM)
#define TEAMS (WARPS / TEAM)
#define REACH_ROW (LANES * HAND_SUMS + 4)
#if IN_PLACE  // rows of values lie where those of reach were, and behind them
#define ROW (REACH_ROW > MY_PLACES ? REACH_ROW : MY_PLACES)
#define VALUE_ROW ROW
#else
#define ROW REACH_ROW
#define VALUE_ROW s.value_row
#endif
#define ALL 0xffffffffu
#define LEAST 7.888609052210118e-31f  // 2^-100, as on the CPU
#define DUST 2e-6f                    // sums of reach are exact to about this share of the whole
#define CARDS 64
#define SUMMED 54  // cards of a deck, and what stands for the second card of each player where hands have one
#define CHUNKS(hands, block) (((hands) + (block) - 1) / (block))
#define ENTRY_PAIRS ((ENTRY_SUMS + 1) / 2)
#define ENTRY_ROOM (LANES * ENTRY_SUMS + 4 + 2 * SUMMED + 2 * TEAM)  // prefix sums over entries, two sums by card, those of warps

#if BITS == 16
typedef short Regret;
typedef unsigned short Average;  // never negative
#else
typedef float Regret;
typedef float Average;
#endif

struct Street {
  const int* program;
  Regret* their_basis; Average* their_average;
  Regret* my_regret; Regret* my_basis; Average* my_average;
  const float* reach_above;  // [board before][root][their places before + 4]
  float* reach_below;        // [board][root of the next street][their places + 4]
  float* value_above;        // [board][root][my places before]: at the places of the board before
  const float* value_below;  // [board][root of the next street][my places]
  float* fold_value;         // [board][fold row][my places], before the last street
  float* far_rows;           // [block][row and value rows]
  const uint4* places; const unsigned short* entries; const unsigned short* starts;
  const short* their_order; const short* my_order;
  const int* parent; const int* their_count; const int* my_count;
  const float* weights;      // [iteration][4] positive, negative, keep
  const int* iteration;
  const int* listed;         // of a batch: the boards whose games go on,
  const int* number;         // how many they are,
  const int* game;           // [board] the game it belongs to,
  const float* coefficients; // [game][term] what stands for the program's
  const int* their_lock; const int* my_lock;      // [board][slot] number of the lock at a node, or -1
  const float* their_bound; const float* my_bound;  // [lock][places] the share of each hand that is bound,
  const float* their_fixed; const float* my_fixed;  // [lock][ACTIONS][places] and what it does
  const float* model;        // [board][reach row of all groups][their places] of hands that follow a model, all of them,
  const int* model_rows;     // [group] the first of its rows,
  const float* model_share;  // [1] and what share of hands they are
  const int* their_nodes;    // [slot] the node of the forest whose first slot it is
  // of 16 bits, [board][slot][block], that of a node at its first slot: what a whole number stands for
  const float* their_basis_scale; float* their_average_scale;
  float* my_regret_scale; float* my_basis_scale; const float* my_average_scale;
  const float* noise;        // see `pack_fairly` of short_tables.py
  int groups, roots, next_roots, their_slots, my_slots, folds, rows, values, items;
  int their_before, my_before, value_row, terms, nodes, model_all;
  float factor;
};

static_assert(sizeof(Street) == STREET_BYTES, "ARGUMENT of device_street.py has other fields");

#if LONG
#define WORD(at) __ldg(s.program + (at))
__device__ __forceinline__ int4 words4(const Street& s, int at) { return __ldg((const int4*)(s.program + at)); }
#else
__constant__ __align__(16) int program[WORDS];
#define WORD(at) program[at]
__device__ __forceinline__ int4 words4(const Street&, int at) { return *(const int4*)(program + at); }
#endif
__constant__ int begin[12];
enum { GROUPS, ROOTS, DOWN_LEVELS, DOWN, USES, UP_LEVELS, UP, DEALS, SUMS, TERMS };
#define HEADER 12

#if BATCH
#define ITEMS(s) (*s.number * s.groups)
#define BOARD(s, item) s.listed[(item) / s.groups]
#else
#define ITEMS(s) s.items
#define BOARD(s, item) ((item) / s.groups)
#endif

struct Group { int root, roots, down_level, down_levels, rows, use, uses, up_level, up_levels, deal, deals, fold; };

__device__ __forceinline__ Group group_of(const Street& s, int g) {
  const int at = begin[GROUPS] + g * HEADER;
  return {WORD(at), WORD(at + 1), WORD(at + 2), WORD(at + 3), WORD(at + 4), WORD(at + 5),
          WORD(at + 6), WORD(at + 7), WORD(at + 8), WORD(at + 9), WORD(at + 10), WORD(at + 11)};
}

// four neighbouring hands of a lane
struct Four { float v[4]; };
#define EACH _Pragma("unroll") for (int e = 0; e < 4; ++e)
__device__ __forceinline__ Four load(const float* p) { const float4 x = *(const float4*)p; return {x.x, x.y, x.z, x.w}; }
__device__ __forceinline__ void store(float* p, const Four& f) { *(float4*)p = make_float4(f.v[0], f.v[1], f.v[2], f.v[3]); }
// tables are read or written once a pass: they should not push anything out of the cache, unless the same game's come again at once
#if ROUNDS
#define FROM_TABLE __ldcg
#define TO_TABLE __stcg
#else
#define FROM_TABLE __ldcs
#define TO_TABLE __stcs
#endif
__device__ __forceinline__ Four stream_in(const float* p, float) {
  const float4 x = FROM_TABLE((const float4*)p);
  return {x.x, x.y, x.z, x.w};
}
__device__ __forceinline__ void stream_out(float* p, const Four& f) { TO_TABLE((float4*)p, make_float4(f.v[0], f.v[1], f.v[2], f.v[3])); }

// Tables of 16 bits are those of short_tables.py: one scale for each node and block of hands, the same rounding.
#define FINEST_SIGNED 32767.f
#define FINEST 65534.f
#define NOISES 4095
#define SMALLEST 1e-30f
__device__ __forceinline__ Four stream_in(const short* p, float scale) {
  const short4 x = FROM_TABLE((const short4*)p);
  return {x.x * scale, x.y * scale, x.z * scale, x.w * scale};
}
__device__ __forceinline__ Four stream_in(const unsigned short* p, float scale) {
  const ushort4 x = FROM_TABLE((const ushort4*)p);
  return {x.x * scale, x.y * scale, x.z * scale, x.w * scale};
}
// the largest of a warp's numbers, none of which is negative
__device__ __forceinline__ float largest(float x) {
#pragma unroll
  for (int o = 16; o; o >>= 1) x = fmaxf(x, __shfl_xor_sync(ALL, x, o));
  return x;
}
// whole numbers, and the scale that turns them back; `fine` is its inverse
__device__ __forceinline__ float fine_of(float top, float finest) { return top > SMALLEST ? __fdiv_rn(finest, top) : 0.f; }
__device__ __forceinline__ float scale_of(float top, float finest) { return top > SMALLEST ? __fdiv_rn(top, finest) : 0.f; }
__device__ __forceinline__ void pack(short* p, const Four& f, float fine) {
  TO_TABLE((short4*)p, make_short4(__float2int_rn(__fmul_rn(f.v[0], fine)), __float2int_rn(__fmul_rn(f.v[1], fine)),
                                 __float2int_rn(__fmul_rn(f.v[2], fine)), __float2int_rn(__fmul_rn(f.v[3], fine))));
}
__device__ __forceinline__ void pack_fairly(unsigned short* p, const Four& f, float fine, const float* noise) {
  int whole[4];
  EACH whole[e] = __float2int_rn(__fadd_rn(__fmul_rn(f.v[e], fine), __ldg(noise + e)));
  TO_TABLE((ushort4*)p, make_ushort4(whole[0], whole[1], whole[2], whole[3]));
}

// A node and a block of at most 128 hands, which one warp works on, with the rows of its tables: what does not wait for other nodes.
// With 16 bits all lanes of a warp come, to find the scale of their block `k`; `inside` says whether a lane has hands.
struct Fetched { int4 node; int k, h; bool inside; float scale, average_scale; Four x[ACTIONS], y[ACTIONS]; };

template <int MODE>
__device__ __forceinline__ void fetch_reach(const Street& s, int b, const Regret* basis, const Average* average, Fetched& f) {
  const size_t at = (size_t)f.node.w * THEIR_TABLE + f.h;
#if BITS == 16
  const size_t scales = ((size_t)b * s.their_slots + f.node.w) * (THEIR_TABLE / THEIR_BLOCK) + f.k;
  f.scale = MODE == LEARN ? s.their_basis_scale[scales] : 0.f, f.average_scale = s.their_average_scale[scales];
#else
  f.scale = 1.f, f.average_scale = 1.f;
#endif
#pragma unroll
  for (int a = 0; a < ACTIONS; ++a) {
    if (MODE == LEARN) f.x[a] = f.inside && a < f.node.z ? stream_in(basis + at + a * THEIR_TABLE, f.scale) : Four{};
    f.y[a] = f.inside && a < f.node.z ? stream_in(average + at + a * THEIR_TABLE, f.average_scale) : Four{};
  }
}

// The opponent's reach after one of its nodes, for four hands; learning adds up its average strategy.
template <int MODE>
__device__ __forceinline__ void reach_node(const Street& s, int b, Average* average, float* reach, Fetched& f, float keep) {
  const int4& node = f.node;
  const int n = node.z, k = f.k, h = f.h;
  const int lock = LOCKED ? s.their_lock[(size_t)b * s.their_slots + node.w] : -1;
  const bool inside = f.inside;
  const size_t at = (size_t)node.w * THEIR_TABLE + h;
  Four *const x = f.x, *const y = f.y;
  const Four here = inside ? load(reach + node.x * ROW + h) : Four{};
  const float share = __fdividef(1.f, (float)n);
  float scale[4], even[4];
  EACH {
    float total = 0.f;
#pragma unroll
    for (int a = 0; a < ACTIONS; ++a) {
      if (MODE == LEARN) x[a].v[e] = fmaxf(x[a].v[e], 0.f);
      total += MODE == LEARN ? x[a].v[e] : y[a].v[e];
    }
    const bool played = total > LEAST;
    scale[e] = played ? __fdividef(here.v[e], total) : 0.f;
    even[e] = played ? 0.f : here.v[e] * share;
  }
  float top = 0.f;
#pragma unroll
  for (int a = 0; a < ACTIONS; ++a)
    if (inside && a < n) {
      Four r;
      EACH {
        r.v[e] = fmaf(MODE == LEARN ? x[a].v[e] : y[a].v[e], scale[e], even[e]);
        y[a].v[e] = fmaf(y[a].v[e], keep, r.v[e]);
        if (BITS == 16) top = fmaxf(top, y[a].v[e]);
      }
      if (LOCKED && lock >= 0) {
        const Four held = load(s.their_bound + (size_t)lock * THEIR_PLACES + h);
        const Four fixed = load(s.their_fixed + ((size_t)lock * ACTIONS + a) * THEIR_PLACES + h);
        EACH r.v[e] += held.v[e] * (here.v[e] * fixed.v[e] - r.v[e]);
      }
      store(reach + (node.y + a) * ROW + h, r);
#if BITS == 32
      if (MODE == LEARN) stream_out(average + at + a * THEIR_TABLE, y[a]);
#endif
    }
#if BITS == 16
  if (MODE == LEARN) {
    top = largest(top);
    const float fine = fine_of(top, FINEST);
    // as on the CPU, where only these bits are looked at: sixteen hands after another, all actions of a node
    const unsigned entry = ((unsigned)b * (THEIR_TABLE / THEIR_BLOCK) + k) * (unsigned)s.nodes + __ldg(s.their_nodes + node.w);
    const unsigned begin_at = __float_as_uint(f.average_scale) * 40503u + entry * 30011u;
    const int four = threadIdx.x % 32;
#pragma unroll
    for (int a = 0; a < ACTIONS; ++a)
      if (inside && a < n) {
        const unsigned from = begin_at + 40503u * (a * (THEIR_BLOCK / 16) + four / 4 + 1);
        pack_fairly(average + at + a * THEIR_TABLE, y[a], fine, s.noise + (from >> 4 & NOISES) + four % 4 * 4);
      }
    const size_t scales = ((size_t)b * s.their_slots + node.w) * (THEIR_TABLE / THEIR_BLOCK) + k;
    if (threadIdx.x % 32 == 0) s.their_average_scale[scales] = scale_of(top, FINEST);
  }
#endif
}

// whether a lane has hands in block k; with 16 bits lanes that have none go on for the sake of the others
#define INSIDE(lane, h, block, count) (BITS == 32 || ((lane) * 4 < (block) && (h) < (count)))
#define NOBODY(k, h, block, count) (BITS == 32 ? (h) >= (count) : (k) * (block) >= (count))

// The opponent's reach at all nodes of a group. A unit of work is a node and a block of at most 128 hands: one warp.
template <int MODE>
__device__ __forceinline__ void reach_down(const Street& s, int b, const Group& g, float* reach, float keep) {
  constexpr int width = THEIR_PLACES, chunks = CHUNKS(THEIR_PLACES, 128), blocks = CHUNKS(THEIR_TABLE, THEIR_BLOCK);
  const int count = s.their_count[b], warp = WARP_OF_BLOCK, lane = threadIdx.x & 31;
  const Regret* basis = s.their_basis + (size_t)b * s.their_slots * THEIR_TABLE;
  Average* average = s.their_average + (size_t)b * s.their_slots * THEIR_TABLE;
  const int end = (count + 3) & ~3;
  for (int r = warp; r < g.rows; r += WARPS)
    for (int h = end + lane; h < REACH_ROW; h += 32) reach[r * ROW + h] = 0.f;
  const float* above = s.reach_above + (size_t)s.parent[b] * s.roots * (s.their_before + 4);
  for (int u = warp; u < g.roots * chunks; u += WARPS) {
    const int k = u / chunks, h = u % chunks * 128 + lane * 4;
    if (h >= count) continue;
    const short4 from = *(const short4*)(s.their_order + (size_t)b * width + h);  // the padding points at a zero
    const float* row = above + (size_t)WORD(begin[ROOTS] + 2 * (g.root + k)) * (s.their_before + 4);
    store(reach + k * ROW + h, {row[from.x] * s.factor, row[from.y] * s.factor, row[from.z] * s.factor, row[from.w] * s.factor});
  }
  for (int l = g.down_level; l < g.down_level + g.down_levels; ++l) {
    const int first = WORD(begin[DOWN_LEVELS] + l), units = (WORD(begin[DOWN_LEVELS] + l + 1) - first) * blocks;
    Fetched f;
    const auto fetched = [&](int u) {
      f.k = u % blocks, f.h = f.k * THEIR_BLOCK + lane * 4;
      if (u >= units || NOBODY(f.k, f.h, THEIR_BLOCK, count)) return false;
      f.node = words4(s, begin[DOWN] + 4 * (first + u / blocks));  // row, first row of the actions, actions, slot
      f.inside = INSIDE(lane, f.h, THEIR_BLOCK, count);
      fetch_reach<MODE>(s, b, basis, average, f);
      return true;
    };
    __syncthreads();
    for (int u = warp; u < units; u += WARPS)
      if (fetched(u)) reach_node<MODE>(s, b, average, reach, f, keep);
  }
}

// a number so many bytes after a place: tables of hands hold bytes, so that an address is one addition
#define AT(base, bytes) (*(const float*)((const char*)(base) + (bytes)))

// lanes of a team wait for each other
__device__ __forceinline__ void team_sync(int team) {
#if TEAM == 1
  __syncwarp();
#else
  asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "r"(LANES) : "memory");
#endif
}

// What a lane reads alike for every row of a board: the opponent's entries, two at a time, and where those of its cards begin and end.
#define CARD_ROUNDS CHUNKS(SUMMED, LANES)
struct Listed { unsigned entries[ENTRY_PAIRS], bounds[CARD_ROUNDS]; };
__device__ __forceinline__ Listed listed_of(const Street& s, int b) {
  const int lane = threadIdx.x % LANES;
  const unsigned* entries = (const unsigned*)(s.entries + (size_t)b * LANES * ENTRY_PAIRS * 2) + lane;
  const unsigned short* starts = s.starts + b * CARDS;
  Listed out;
#pragma unroll
  for (int k = 0; k < ENTRY_PAIRS; ++k) out.entries[k] = entries[k * LANES];
#pragma unroll
  for (int k = 0; k < CARD_ROUNDS; ++k) {
    const int c = lane + k * LANES;
    out.bounds[k] = c < SUMMED ? starts[c] | (unsigned)starts[c + 1] << 16 : 0;
  }
  return out;
}

// What each of my hands gets from a row's prefix sums: eight look-ups at places worked out once, which are read some hands ahead.
#ifndef AHEAD
#define AHEAD 2
#endif
#undef PLACED
#if TEAM == 1  // whole warps read, places behind the last hand too
#define PLACED(first) ((first) < count)
#else
#define PLACED(first) ((first) + lane < count)
#endif
template <bool SHOW, bool FOLD>
__device__ __forceinline__ void look_up(const Street& s, int b, int team, const float* row, const float* sums, float total, float* show,
    float* fold) {
  const int lane = threadIdx.x % LANES, count = (s.my_count[b] + 3) & ~3;
  const uint4* places = s.places + (size_t)b * MY_PLACES + lane;
  const float2* cards = (const float2*)(sums + LANES * ENTRY_SUMS + 4);
  const float dust = total * DUST;
  uint4 next[AHEAD];
#pragma unroll
  for (int k = 0; k < AHEAD; ++k) next[k] = PLACED(k * LANES) ? __ldg(places + k * LANES) : uint4{};
  const auto shown = [&](const uint4& at, const float2& c1, const float2& c2) {
    float v = AT(row, at.x & 65535) + AT(row, at.x >> 16) - total;
    v -= AT(sums, at.y & 65535) + AT(sums, at.y >> 16) - c1.x;
    v -= AT(sums, at.z & 65535) + AT(sums, at.z >> 16) - c2.x;
    return fabsf(v) > dust ? v : 0.f;
  };
  const auto folded = [&](const uint4& at, const float2& c1, const float2& c2) {
    float v = total - c1.y - c2.y;
    const unsigned twin = at.w >> 16;
    if (twin) v += AT(row, twin) - AT(row, twin - 4);
    return fabsf(v) > dust ? v : 0.f;
  };
  const auto cards_of = [&](unsigned both) { return *(const float2*)((const char*)cards + 2 * (both & 255)); };
#if IN_PLACE  // the row is looked at to the end before it is written
  float kept[CHUNKS(MY_PLACES, LANES)];
#pragma unroll
  for (int k = 0; k < CHUNKS(MY_PLACES, LANES); ++k) {
    const uint4 at = next[k % AHEAD];
    if (PLACED((k + AHEAD) * LANES)) next[k % AHEAD] = __ldg(places + (k + AHEAD) * LANES);
    if (PLACED(k * LANES)) {
      const float2 c1 = cards_of(at.w), c2 = cards_of(at.w >> 8);
      kept[k] = SHOW ? shown(at, c1, c2) : folded(at, c1, c2);
      if (SHOW && FOLD && lane + k * LANES < count) fold[lane + k * LANES] = folded(at, c1, c2);
    }
  }
  team_sync(team);
#pragma unroll
  for (int k = 0; k < CHUNKS(MY_PLACES, LANES); ++k)
    if (lane + k * LANES < count) (SHOW ? show : fold)[lane + k * LANES] = kept[k];
#else
#pragma unroll 1
  for (int round = 0; round < count; round += AHEAD * LANES) {
    uint4 here[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      here[k] = next[k];
      if (PLACED(round + (AHEAD + k) * LANES)) next[k] = __ldg(places + round + (AHEAD + k) * LANES);
    }
#pragma unroll
    for (int k = 0; k < AHEAD; ++k) {
      const int h = round + k * LANES + lane;
      const float2 c1 = cards_of(here[k].w), c2 = cards_of(here[k].w >> 8);
      const float paid = SHOW ? shown(here[k], c1, c2) : 0.f, alone = FOLD ? folded(here[k], c1, c2) : 0.f;
      if (SHOW && h < count) show[h] = paid;
      if (FOLD && h < count) fold[h] = alone;
    }
  }
#endif
}

// One team: what a row of reach pays each of my hands per chip, at showdown and at a fold. The row is overwritten by its prefix sums;
// those over (card, hand) entries go to `sums`.
__device__ __forceinline__ void evaluate(const Street& s, int b, int team, const Listed& listed, float* row, float* sums, float* show,
    float* fold) {
  const int lane = threadIdx.x % LANES;
  float hand[HAND_SUMS], entry[2 * ENTRY_PAIRS], hands = 0.f, all = 0.f;
#pragma unroll
  for (int k = 0; k < HAND_SUMS; ++k) { hand[k] = hands; hands += row[lane * HAND_SUMS + k]; }
#pragma unroll
  for (int k = 0; k < ENTRY_PAIRS; ++k) {
    const unsigned two = listed.entries[k];
    entry[2 * k] = all;
    all += AT(row, two & 65535);
    if (2 * k + 1 < ENTRY_SUMS) {
      entry[2 * k + 1] = all;
      all += AT(row, two >> 16);
    }
  }
  float before = hands, entries_before = all;
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) {
    const float x = __shfl_up_sync(ALL, before, o), y = __shfl_up_sync(ALL, entries_before, o);
    if ((threadIdx.x & 31) >= o) { before += x; entries_before += y; }
  }
#if TEAM == 1
  const float total = __shfl_sync(ALL, before, 31);
  __syncwarp();
#else
  float2* parts = (float2*)(sums + LANES * ENTRY_SUMS + 4 + 2 * SUMMED);
  if ((threadIdx.x & 31) == 31) parts[lane / 32] = make_float2(before, entries_before);
  team_sync(team);
  float total = 0.f;
#pragma unroll
  for (int w = 0; w < TEAM; ++w) {
    const float2 part = parts[w];
    total += part.x;
    if (w < lane / 32) { before += part.x; entries_before += part.y; }
  }
#endif
  if (lane == LANES - 1) { row[LANES * HAND_SUMS] = before; sums[LANES * ENTRY_SUMS] = entries_before; }
  before -= hands;
  entries_before -= all;
#pragma unroll
  for (int k = 0; k < HAND_SUMS; ++k) row[lane * HAND_SUMS + k] = hand[k] + before;
#pragma unroll
  for (int k = 0; k < ENTRY_SUMS; ++k) sums[lane * ENTRY_SUMS + k] = entry[k] + entries_before;
  team_sync(team);
  float2* cards = (float2*)(sums + LANES * ENTRY_SUMS + 4);  // by card: where its sums begin and end, added up, and their difference
#pragma unroll
  for (int k = 0; k < CARD_ROUNDS; ++k)
    if (lane + k * LANES < SUMMED) {
      const float first = AT(sums, listed.bounds[k] & 65535), last = AT(sums, listed.bounds[k] >> 16);
      cards[lane + k * LANES] = make_float2(first + last, last - first);
    }
  team_sync(team);
  if (!LAST || !show) look_up<false, true>(s, b, team, row, sums, total, show, fold);
  else if (!fold) look_up<true, false>(s, b, team, row, sums, total, show, fold);
  else look_up<true, true>(s, b, team, row, sums, total, show, fold);
  team_sync(team);
}

// a value row times its coefficient, added to what there is
__device__ __forceinline__ Four term(const Street& s, const float* value, const float* coefficients, int t, int h, Four out) {
#if BATCH
  const float coefficient = __ldg(coefficients + t);
#else
  const float coefficient = __int_as_float(WORD(begin[TERMS] + 2 * t + 1));
#endif
  const Four x = load(value + WORD(begin[TERMS] + 2 * t) * VALUE_ROW + h);
  EACH out.v[e] = fmaf(x.v[e], coefficient, out.v[e]);
  return out;
}

// value rows times coefficients
__device__ __forceinline__ Four worth(const Street& s, const float* value, const float* coefficients, int sum, int h) {
  Four out = {};
  const int last = WORD(begin[SUMS] + sum + 1);
  for (int t = WORD(begin[SUMS] + sum); t < last; ++t) out = term(s, value, coefficients, t, h, out);
  return out;
}

template <int MODE>
__device__ __forceinline__ void fetch_values(const Street& s, int b, const Regret* basis, const Average* average, Fetched& f) {
  const size_t at = (size_t)f.node.y * MY_TABLE + f.h;
#if BITS == 16
  const size_t scales = ((size_t)b * s.my_slots + f.node.y) * (MY_TABLE / MY_BLOCK) + f.k;
  f.scale = MODE == LEARN ? s.my_basis_scale[scales] : MODE == VALUE ? s.my_average_scale[scales] : 0.f;
#else
  f.scale = 1.f;
#endif
#pragma unroll
  for (int a = 0; a < ACTIONS; ++a) {
    const bool there = f.inside && a < f.node.x;
    if (MODE == LEARN) f.x[a] = there ? stream_in(basis + at + a * MY_TABLE, f.scale) : Four{};
    if (MODE == VALUE) f.x[a] = there ? stream_in(average + at + a * MY_TABLE, f.scale) : Four{};
  }
}

// What the actions of one of my nodes are worth: the first terms of all of them side by side, since most have one alone.
__device__ __forceinline__ void worth_of_actions(const Street& s, const float* value, const float* coefficients, int sum, int n, int h,
    bool inside, Four* w) {
  int begins[ACTIONS + 1];
#pragma unroll
  for (int a = 0; a <= ACTIONS; ++a) begins[a] = a <= n ? WORD(begin[SUMS] + sum + a) : 0;
#pragma unroll
  for (int a = 0; a < ACTIONS; ++a) w[a] = inside && a < n ? term(s, value, coefficients, begins[a], h, Four{}) : Four{};
#pragma unroll
  for (int a = 0; a < ACTIONS; ++a)
    if (inside && a < n)
#pragma unroll 1
      for (int t = begins[a] + 1; t < begins[a + 1]; ++t) w[a] = term(s, value, coefficients, t, h, w[a]);
}

// My value at one of my nodes, for four hands; learning updates regrets. `left`: hands of the board from these on.
template <int MODE>
__device__ __forceinline__ void value_node(const Street& s, int b, Regret* regret, Regret* basis, float* value, const float* coefficients,
    Fetched& f, int left, float positive, float negative) {
  const int4& node = f.node;
  const int n = node.x, k = f.k, h = f.h;
  const int lock = LOCKED ? s.my_lock[(size_t)b * s.my_slots + node.y] : -1;
  const bool inside = f.inside;
  const size_t at = (size_t)node.y * MY_TABLE + h;
#if BITS == 16
  const size_t scales = ((size_t)b * s.my_slots + node.y) * (MY_TABLE / MY_BLOCK) + k;
#endif
  Four *const x = f.x, w[ACTIONS], here;
  worth_of_actions(s, value, coefficients, node.w, n, h, inside, w);
  const float share = __fdividef(1.f, (float)n);
  EACH {
    float total = 0.f, mixed = 0.f, plain = 0.f, best = -3.4e38f;
#pragma unroll
    for (int a = 0; a < ACTIONS; ++a) {
      if (MODE == RESPOND) { if (a < n) best = fmaxf(best, w[a].v[e]); }
      else {
        const float r = fmaxf(x[a].v[e], 0.f);
        total += r;
        mixed = fmaf(r, w[a].v[e], mixed);
        plain += w[a].v[e];
      }
    }
    here.v[e] = MODE == RESPOND ? best : total > LEAST ? __fdividef(mixed, total) : plain * share;
  }
  Four played = here, learns = {1.f, 1.f, 1.f, 1.f};
  if (LOCKED && lock >= 0 && inside) {
    const Four held = load(s.my_bound + (size_t)lock * MY_PLACES + h);
    Four forced = {};
    for (int a = 0; a < ACTIONS; ++a)
      if (a < n) {
        const Four fixed = load(s.my_fixed + ((size_t)lock * ACTIONS + a) * MY_PLACES + h);
        EACH forced.v[e] = fmaf(fixed.v[e], w[a].v[e], forced.v[e]);
      }
    EACH {
      learns.v[e] = held.v[e] < 1.f ? 1.f : 0.f;  // hands without a choice learn nothing
      played.v[e] += held.v[e] * (forced.v[e] - played.v[e]);
    }
  }
#if BITS == 16 && PREDICTIVE
  const float regret_scale = MODE == LEARN ? s.my_regret_scale[scales] : 0.f;
#else
  const float regret_scale = f.scale;
#endif
  float top = 0.f, top_ahead = 0.f;
  if (MODE == LEARN)
#pragma unroll
    for (int a = 0; a < ACTIONS; ++a)
      if (inside && a < n) {
#if PREDICTIVE
        x[a] = stream_in(regret + at + a * MY_TABLE, regret_scale);
#endif
        EACH {
          const float gain = (w[a].v[e] - here.v[e]) * (LOCKED ? learns.v[e] : 1.f), y = x[a].v[e] + gain;
          x[a].v[e] = y * (y > 0.f ? positive : negative);
          w[a].v[e] = x[a].v[e] + gain;
#if BITS == 16  // places behind the last hand would get into the scale
          if (e >= left) x[a].v[e] = w[a].v[e] = 0.f;
          top = fmaxf(top, fabsf(x[a].v[e]));
          top_ahead = fmaxf(top_ahead, fabsf(w[a].v[e]));
#endif
        }
#if BITS == 32
        stream_out(regret + at + a * MY_TABLE, x[a]);
#if PREDICTIVE
        stream_out(basis + at + a * MY_TABLE, w[a]);
#endif
#endif
      }
#if BITS == 16
  if (MODE == LEARN) {
    top = largest(top);
    const float fine = fine_of(top, FINEST_SIGNED);
#pragma unroll
    for (int a = 0; a < ACTIONS; ++a)
      if (inside && a < n) pack(regret + at + a * MY_TABLE, x[a], fine);
    if (threadIdx.x % 32 == 0) s.my_regret_scale[scales] = scale_of(top, FINEST_SIGNED);
#if PREDICTIVE
    top_ahead = largest(top_ahead);
    const float fine_ahead = fine_of(top_ahead, FINEST_SIGNED);
#pragma unroll
    for (int a = 0; a < ACTIONS; ++a)
      if (inside && a < n) pack(basis + at + a * MY_TABLE, w[a], fine_ahead);
    if (threadIdx.x % 32 == 0) s.my_basis_scale[scales] = scale_of(top_ahead, FINEST_SIGNED);
#endif
  }
#endif
  if (inside) store(value + node.z * VALUE_ROW + h, played);
}

// My values at all own nodes of a group, and at its roots.
template <int MODE>
__device__ __forceinline__ void values_up(const Street& s, int b, const Group& g, float* value, float positive, float negative) {
  constexpr int width = MY_PLACES, chunks = CHUNKS(MY_PLACES, 128), blocks = CHUNKS(MY_TABLE, MY_BLOCK);
  const int count = s.my_count[b], warp = WARP_OF_BLOCK, lane = threadIdx.x & 31;
  const size_t board = (size_t)b * s.my_slots * MY_TABLE;
  Regret* regret = s.my_regret + board;
  Regret* basis = s.my_basis + board;
  const Average* average = s.my_average + board;
  const float* coefficients = BATCH ? s.coefficients + (size_t)s.game[b] * s.terms : 0;
  for (int l = g.up_level; l < g.up_level + g.up_levels; ++l) {
    const int first = WORD(begin[UP_LEVELS] + l), units = (WORD(begin[UP_LEVELS] + l + 1) - first) * blocks;
    Fetched f;
    const auto fetched = [&](int u) {
      f.k = u % blocks, f.h = f.k * MY_BLOCK + lane * 4;
      if (u >= units || NOBODY(f.k, f.h, MY_BLOCK, count)) return false;
      f.node = words4(s, begin[UP] + 4 * (first + u / blocks));  // actions, slot, value row, first sum
      f.inside = INSIDE(lane, f.h, MY_BLOCK, count);
      fetch_values<MODE>(s, b, basis, average, f);
      return true;
    };
    __syncthreads();
    for (int u = warp; u < units; u += WARPS)
      if (fetched(u)) value_node<MODE>(s, b, regret, basis, value, coefficients, f, count - f.h, positive, negative);
  }
  __syncthreads();
  for (int u = warp; u < g.roots * chunks; u += WARPS) {
    const int k = u / chunks, h = u % chunks * 128 + lane * 4;
    if (h >= count) continue;
    const int root = begin[ROOTS] + 2 * (g.root + k);
    const short4 to = *(const short4*)(s.my_order + (size_t)b * width + h);
    float* out = s.value_above + ((size_t)b * s.roots + WORD(root)) * s.my_before;
    const Four w = worth(s, value, coefficients, WORD(root + 1), h);
    out[to.x] = w.v[0];
    if (h + 1 < count) out[to.y] = w.v[1];
    if (h + 2 < count) out[to.z] = w.v[2];
    if (h + 3 < count) out[to.w] = w.v[3];
  }
}

#if FAR
#define ROWS(s) (s.far_rows + (size_t)blockIdx.x * (s.rows * ROW + (IN_PLACE ? 0 : s.values * VALUE_ROW)))
#else
#define ROWS(s) shared
#endif

// One piece of work: the last street whole; a street before it down to its deals, with what folds pay.
template <int MODE>
__device__ __forceinline__ void piece_down(const Street& s, int item, const float* weights) {
  extern __shared__ __align__(16) float shared[];
  float* reach = ROWS(s);
  float* value = IN_PLACE ? reach : reach + s.rows * ROW;
  const int team = WARP_OF_BLOCK / TEAM, b = BOARD(s, item);
#if FAR
  float* sums = shared + team * ENTRY_ROOM;
#else
  float* sums = reach + s.rows * ROW + (LAST && !IN_PLACE ? s.values * VALUE_ROW : 0) + team * ENTRY_ROOM;
#endif
  const Group g = group_of(s, item % s.groups);
  reach_down<MODE>(s, b, g, reach, weights[2]);
  const Listed listed = listed_of(s, b);
  __syncthreads();
#if !LAST
  const int count = s.their_count[b];
  for (int d = g.deal; d < g.deal + g.deals; ++d) {
    const int4 deal = words4(s, begin[DEALS] + 4 * d);
    float* out = s.reach_below + ((size_t)b * s.next_roots + deal.x) * (THEIR_PLACES + 4);
    for (int h = threadIdx.x; h < count; h += THREADS) out[h] = reach[deal.y * ROW + h];
  }
  __syncthreads();
#endif
#if MODELLED  // free hands alone go on to the next street; whoever ends here is met with the others
  const float share = *s.model_share;
  const float* model = s.model + ((size_t)b * s.model_all + s.model_rows[item % s.groups]) * THEIR_PLACES;
  for (int r = WARP_OF_BLOCK; r < g.rows; r += WARPS)
    for (int h = (threadIdx.x & 31) * 4; h < s.their_count[b]; h += 128) {
      const Four held = load(model + r * THEIR_PLACES + h);
      Four row = load(reach + r * ROW + h);
      EACH row.v[e] = fmaf(held.v[e], share, row.v[e]);
      store(reach + r * ROW + h, row);
    }
  __syncthreads();
#endif
  for (int r = team; r < g.uses; r += TEAMS) {
    const int4 use = words4(s, begin[USES] + 4 * (g.use + r));
#if LAST
    evaluate(s, b, team, listed, reach + use.x * ROW, sums, use.y >= 0 ? value + use.y * VALUE_ROW : 0,
             use.z >= 0 ? value + use.z * VALUE_ROW : 0);
#else
    evaluate(s, b, team, listed, reach + use.x * ROW, sums, 0, s.fold_value + ((size_t)b * s.folds + g.fold + use.z) * MY_PLACES);
#endif
  }
#if LAST
  values_up<MODE>(s, b, g, value, weights[0], weights[1]);
#endif
  __syncthreads();
}

template <int MODE>
__device__ __forceinline__ void pass_down(const Street& s) {
  const float* weights = s.weights + 4 * *s.iteration;
  const long long items = ITEMS(s);
  const int from = (int)(blockIdx.x * items / gridDim.x), to = (int)((blockIdx.x + 1) * items / gridDim.x);
  for (int item = from; item < to; ++item) piece_down<MODE>(s, item, weights);
}

// A street before the last, when the values of its deals are known.
template <int MODE>
__device__ __forceinline__ void pass_up(const Street& s) {
  extern __shared__ __align__(16) float shared[];
  const float* weights = s.weights + 4 * *s.iteration;
  float* value = ROWS(s);
  const int warp = WARP_OF_BLOCK, lane = threadIdx.x & 31;
  for (int item = blockIdx.x; item < ITEMS(s); item += gridDim.x) {
    const int b = BOARD(s, item), count = s.my_count[b];
    const Group g = group_of(s, item % s.groups);
    for (int r = warp; r < g.uses; r += WARPS) {
      const int row = words4(s, begin[USES] + 4 * (g.use + r)).z;
      const float* from = s.fold_value + ((size_t)b * s.folds + g.fold + row) * MY_PLACES;
      for (int h = lane * 4; h < count; h += 128) store(value + row * VALUE_ROW + h, load(from + h));
    }
    for (int d = g.deal + warp; d < g.deal + g.deals; d += WARPS) {
      const int4 deal = words4(s, begin[DEALS] + 4 * d);
      const float* from = s.value_below + ((size_t)b * s.next_roots + deal.x) * MY_PLACES;
      for (int h = lane * 4; h < count; h += 128) store(value + deal.z * VALUE_ROW + h, load(from + h));
    }
    values_up<MODE>(s, b, g, value, weights[0], weights[1]);
    __syncthreads();
  }
}

#if !ROUNDS
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
KERNEL down(const __grid_constant__ Street s) { pass_down<PASS>(s); }
#if !LAST
KERNEL up(const __grid_constant__ Street s) { pass_up<PASS>(s); }
#endif
#endif
