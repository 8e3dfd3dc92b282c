// Showdowns of three hands before the flop on random deals and boards: the same draws as `cards/allins/_kernels/triples.py`, number by number.

typedef unsigned long long Word;

// `held` [class, 12] hands, `sizes` [class]; of a hand `masks` (a bit for each card) and what its cards add up to in the evaluator, of a
// card the same; `offset`, `number`, `plain` and `flush` are the evaluator's tables for seven cards, `codes` outcomes by three comparisons.
struct Cards {
  const int *held, *sizes;
  const Word *masks, *hand_keys, *hand_places, *keys, *places;
  const unsigned* offset;
  const unsigned short *number, *plain, *flush;
  const int* codes;
};

#define SUIT_COUNTS (0x3333ull << 40)
#define FLUSH (0x8888ull << 40)
#define HALF 0xfffffull
#define STEP 0x9e3779b97f4a7c15ull
#define DRAWS 10

__device__ __forceinline__ Word mixed(Word x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ __forceinline__ int strength(const Cards& t, Word key, Word places) {
  if (!(key & FLUSH)) return t.plain[t.offset[key & HALF] + t.number[(key >> 20) & HALF]];
  for (int k = 0; k < 3 && !(key & (8ull << 40)); ++k) { key >>= 4; places >>= 16; }
  return t.flush[places & 0xffff];
}

// Deals of three classes that use no card twice, in the order of their hands.
struct Deals {
  const Cards& t;
  const int* triple;
  int i, j, k;
  __device__ __forceinline__ Deals(const Cards& t, const int* triple) : t(t), triple(triple), i(0), j(0), k(-1) {}
  __device__ __forceinline__ int hand(int place, int which) const { return t.held[12 * triple[place] + which]; }
  __device__ __forceinline__ int first() const { return hand(0, i); }
  __device__ __forceinline__ int second() const { return hand(1, j); }
  __device__ __forceinline__ int third() const { return hand(2, k); }
  __device__ bool next() {
    while (true) {
      if (++k == t.sizes[triple[2]]) { k = 0; ++j; }
      if (j == t.sizes[triple[1]]) { j = 0; ++i; }
      if (i == t.sizes[triple[0]]) return false;
      const Word a = t.masks[first()], b = t.masks[second()], c = t.masks[third()];
      if (!(a & b) && !((a | b) & c)) return true;
    }
  }
};

// counts[triple][outcome] of `samples` showdowns; a thread for each triple.
extern "C" __global__ void showdowns_of_three(const int* triples, const Word* seeds, int many, int samples, const int* held,
    const int* sizes, const Word* masks, const Word* hand_keys, const Word* hand_places, const Word* keys, const Word* places,
    const unsigned* offset, const unsigned short* number, const unsigned short* plain, const unsigned short* flush, const int* codes,
    unsigned short* counts) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= many) return;
  const Cards t = {held, sizes, masks, hand_keys, hand_places, keys, places, offset, number, plain, flush, codes};
  Deals deals(t, triples + 3 * n);
  int found = 0;
  while (deals.next()) ++found;
  if (!found) return;
  Word state = seeds[n] + STEP;
  const long long start = (long long)(mixed(state) >> 16) % ((long long)found * samples);
  int at = found;  // the last one: the first deal comes after it

  for (int sample = 0; sample < samples; ++sample) {
    const int deal = (int)(((long long)sample * found + start) / samples % found);
    if (deal < at) deals.i = deals.j = 0, deals.k = at = -1;  // from the first one on
    for (; at < deal; ++at) deals.next();
    const int one = deals.first(), two = deals.second(), three = deals.third();
    Word taken = masks[one] | masks[two] | masks[three], key = SUIT_COUNTS, lying = 0, bits = 0;
    for (int drawn = 0, left = 0; drawn < 5;) {
      if (!left) {
        state += STEP;
        bits = mixed(state);
        left = DRAWS;
      }
      const int card = (int)(bits & 63);
      bits >>= 6;
      --left;
      if (card < 52 && !(taken >> card & 1)) {
        taken |= 1ull << card;
        key += keys[card];
        lying += places[card];
        ++drawn;
      }
    }
    const int a = strength(t, key + hand_keys[one], lying + hand_places[one]);
    const int b = strength(t, key + hand_keys[two], lying + hand_places[two]);
    const int c = strength(t, key + hand_keys[three], lying + hand_places[three]);
    ++counts[13 * (size_t)n + codes[9 * (1 + (a > b) - (a < b)) + 3 * (1 + (a > c) - (a < c)) + 1 + (b > c) - (b < c)]];
  }
}
