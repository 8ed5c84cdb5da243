/* What the kernels share: the shape of a search, states and their hashes, open addressing.

   The compiler writes this as LLVM text once. What a search depends on (`words`, `constrained`, ...) are constants
   without a value; each search gives them one before LLVM optimises, so that loops over words are unrolled and branches
   on the shape vanish. */

#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;

extern const u64 words;
extern const u64 constrained, compacted, symmetric, dominating, several;

#define INLINE static inline __attribute__((always_inline))
#define APART __attribute__((noinline))

/* A function in two variants: for a worker alone, and for workers that share what they write to. */
#define VARIANTS(kind, name, parameters, ...) \
    kind name parameters { return name##_in(__VA_ARGS__, 0); } \
    kind name##_shared parameters { return name##_in(__VA_ARGS__, 1); }
#define VARIANT(shared, name, ...) (shared ? name##_shared(__VA_ARGS__) : name(__VA_ARGS__))
#define EACH_WORD(w) _Pragma("clang loop unroll(full)") for (u64 w = 0; w < words; w++)

/* Constants that Python has too are defined by `tests.checker.native.kernel.written`. */
#define INSTANCE ((1ull << INSTANCE_BITS) - 1)
#define LOCAL ((1ull << LOCAL_BITS) - 1)
#define HALF 0xffffffffull

static const u64 SECRETS[8] = {DIGEST_SECRETS};

#define EACH_BIT(bit, shown) \
    for (u64 left_ = (shown), bit; left_ && (bit = __builtin_ctzll(left_), 1); left_ &= left_ - 1)

INLINE u64 least(u64 a, u64 b) { return a < b ? a : b; }

INLINE void prefetch(const void *at) { __builtin_prefetch(at, 0, 3); }

/* The two halves of the 128-bit product, combined by exclusive or. */
INLINE u64 folded(u64 a, u64 b) {
    u128 product = (u128)a * b;
    return (u64)product ^ (u64)(product >> 64);
}

/* The hash of those bits of a state that a mask has, in a lane, as `checker.ir.layout.state_hash` defines it. */
INLINE u64 hash_bits(const u64 *state, const u64 *mask, int lane) {
    const u64 *secret = SECRETS + 4 * lane;
    u64 total = secret[1];
    _Pragma("clang loop unroll(full)") for (u64 w = 0; w < words; w += 2) {
        u64 one = state[w], other = w + 1 < words ? state[w + 1] : 0;
        if (mask) one &= mask[w], other &= w + 1 < words ? mask[w + 1] : 0;
        total = folded(one ^ secret[0], other ^ total);
    }
    return folded(total ^ secret[2], secret[3]);
}

INLINE u64 hash_lane(const u64 *state, int lane) { return hash_bits(state, 0, lane); }
INLINE u64 hash_of(const u64 *state) { return hash_bits(state, 0, 0); }

/* The two lanes of a step's hash, as `checker.ir.layout.step_hash` defines them. */
struct step_lanes { u64 low, high; };

INLINE struct step_lanes step_lanes(u64 constant, u64 origin, u64 hash) {
    u64 low = folded(origin ^ constant, hash ^ SECRETS[2]);
    return (struct step_lanes){low, folded(origin + constant, hash ^ SECRETS[5])};
}

INLINE void copy(u64 *to, const u64 *from, u64 extra) {
    EACH_WORD(w) to[w] = from[w];
    for (u64 w = 0; w < extra; w++) to[words + w] = from[words + w];
}

INLINE u64 differs(const u64 *a, const u64 *b) {
    u64 total = 0;
    EACH_WORD(w) total |= a[w] ^ b[w];
    return total;
}

/* The upper or lower half of a hash, scaled to a number below a size: monotone in the half. */
INLINE u64 upper_half(u64 hash, u64 size) { return (hash >> 32) * size >> 32; }
INLINE u64 lower_half(u64 hash, u64 size) { return (hash & HALF) * size >> 32; }

/* A slot: the upper half of a hash and an index plus one. A free slot is zero. */
INLINE u64 slot_of(u64 hash, u64 index) { return (hash & ~SLOT_INDEX) | (index + 1); }

/* A table of slots, and one whose slots come in buckets of eight, a cache line each. */
struct table { u64 *slots; u64 size; };

INLINE u64 home(struct table t, u64 hash) { return upper_half(hash, t.size); }
INLINE u64 bucket_home(struct table t, u64 hash) { return upper_half(hash, t.size >> 3) << 3; }
INLINE u64 after(struct table t, u64 at, u64 by) { return at + by == t.size ? 0 : at + by; }

INLINE u64 free_from(struct table t, u64 at) {
    while (t.slots[at]) at = after(t, at, 1);
    return at;
}

typedef u64 line __attribute__((vector_size(64)));
typedef _Bool lanes __attribute__((ext_vector_type(8)));

struct shown { u64 same, free; };

/* Of the slots of a bucket: which have this upper half, and which are free; a bit for each. With `racing`, other
   threads may be writing: what is said of a slot may be old, but x86-64 and AArch64 read eight aligned bytes whole. */
INLINE struct shown shown_by(const u64 *bucket, u64 upper, int racing) {
    line all;
    if (racing) all = *(const volatile line *)bucket;
    else all = *(const line *)bucket;
    lanes same = __builtin_convertvector(all >> 32 == upper, lanes), free = __builtin_convertvector(all == 0, lanes);
    u8 s, f;
    __builtin_memcpy(&s, &same, 1);
    __builtin_memcpy(&f, &free, 1);
    return (struct shown){s, f};
}

INLINE u64 bucket_free_from(struct table t, u64 at) {
    for (;; at = after(t, at, LANES)) {
        u64 free = shown_by(t.slots + at, 0, 0).free;
        if (free) return at + __builtin_ctzll(free);
    }
}

/* What the bucket of a hash shows at once: whether a slot is like it, whether none is and one is free, and that
   slot. */
struct seen { u64 like, new; u64 *slot; };

INLINE struct seen see(u64 *bucket, u64 hash, int racing) {
    struct shown s = shown_by(bucket, hash >> 32, racing);
    u64 same = s.same & ~s.free; /* the upper half of a hash may be zero too */
    u64 like = same != 0, some = like ? same : s.free;
    u64 lane = __builtin_ctzll(some | 1 << LANES) & (LANES - 1);
    return (struct seen){like, !like & (s.free != 0), bucket + lane};
}

/* An entry as steps are written: the words of a state, its tag, room for two. */
INLINE u64 *entry(u64 *base, u64 index) { return base + index * (words + EXTRA_WORDS); }

/* The columns that `eight_steps` writes begin after three numbers for each lane: how many successors its state has, the
   place of the next of them, and the hash of the state.

   Give each lane the places for its successors, from the first on; where they end. */
INLINE u64 place_lanes(u64 *lanes, u64 first) {
    u64 end = first;
    for (int i = 0; i < LANES; i++) {
        lanes[LANES + i] = end;
        end += lanes[i];
    }
    return end;
}
