/* The kernel of a distributed search: what one partition does to a level.

    A superstep expands the frontier and exchanges what it finds by owner. `expand` takes the steps of some states,
   counts them and keeps one entry for each successor; `count_owners` and `scatter` sort the entries by the partition
   that owns them; there `insert` decides which are new, and `evaluate_new` evaluates the properties on those. `admit`
   inserts states that a log already names into a table; `find` looks a hash up in a log.

    An entry is the words of the state, then the instance that reached it and the lane-0 hash of the state before. Of
   equal states the entry with the least (instance, hash before) is kept, in `expand` and in `insert`: attribution is
   the same for any order and any number of partitions. The owner of a state is the low half of a hash of some of its
   bits, scaled to the number of partitions; its place in a table comes from the top half of the hash of all of them. */

#include "kernel.h"

struct context {
    u64 *frontier, cursor, end, pending, shard, shards, *owning;
    u64 *scratch, scratch_entries, out_degree;
    u64 *sent, sent_count, sent_room, *sent_table, sent_slots, *wire, *offsets;
    u64 *states, *table, slots, count, level_start, *parents;
    u16 *actions;
    u64 *hashes, sender;
    u16 *senders;
    u64 expanded, terminal_states, left_constraint, steps_low, steps_high, digest_low, digest_high;
    u64 *steps, *discovered, *constants, *findings;
    u64 (*step)(const u64 *, u64 *, u64), (*judge)(const u64 *, u64), (*within)(const u64 *);
};

typedef struct context *restrict context;

#define NO_ENTRY (~0ull) /* the instance of a scratch entry that is to be left out */

INLINE u64 *sent_at(u64 *base, u64 index) { return base + index * (words + 2); }

INLINE u64 owner(struct context *c, const u64 *state) {
    return lower_half(hash_bits(state, c->owning, 0), c->shards);
}

INLINE int comes_before(const u64 *key, const u64 *other, int length) {
    for (int i = 0; i < length; i++)
        if (key[i] != other[i]) return key[i] < other[i];
    return 0;
}

/* Note a finding with the words of a state, unless one with a lesser key is known. */
APART void note_least(context c, u64 slot, u64 k0, u64 k1, u64 k2, u64 k3, const u64 *state) {
    u64 *at = c->findings + slot * (1 + KEY_WORDS + words), key[KEY_WORDS] = {k0, k1, k2, k3};
    if (at[0] && !comes_before(key, at + 1, KEY_WORDS)) return;
    at[0] = 1;
    for (int i = 0; i < KEY_WORDS; i++) at[1 + i] = key[i];
    EACH_WORD(w) at[1 + KEY_WORDS + w] = state[w];
}

INLINE void note_all(struct context *c, u64 shown, u64 kind, u64 k1, u64 k2, u64 k3, const u64 *state) {
    EACH_BIT(bit, shown & (c->pending | 1ull << FAILURE))
        note_least(c, bit, bit == FAILURE ? kind : 0, k1, k2, k3, state);
}

/* Look a state up in a table over records; one more than the index, or zero and the free position. */
INLINE u64 find_in(struct table t, u64 *records, u64 stride, const u64 *state, u64 hash, u64 *position) {
    for (u64 at = home(t, hash);; at = after(t, at, 1)) {
        u64 slot = t.slots[at];
        if (!slot) {
            *position = at;
            return 0;
        }
        if (slot >> 32 != hash >> 32) continue;
        if (!differs(records + ((slot & SLOT_INDEX) - 1) * stride, state)) return slot & SLOT_INDEX;
    }
}

INLINE struct table sent_table(struct context *c) { return (struct table){c->sent_table, c->sent_slots}; }
INLINE struct table own_table(struct context *c) { return (struct table){c->table, c->slots}; }

/* -- expansion ---------------------------------------------------------------------------------------------------- */

/* Count a step and finish its entry; a step that fails or leaves the constraint is taken out of the entries. */
INLINE void take_step(struct context *c, u64 *state, u64 origin, u64 *to) {
    u64 tag = to[words], instance = tag & INSTANCE;
    to[words] = NO_ENTRY;
    if ((long long)tag < 0) {
        note_least(c, FAILURE, FAILED_STEP, instance, origin, 0, state);
        return;
    }
    if (tag > INSTANCE) note_all(c, tag >> INSTANCE_BITS, FAILED_ON_STEP, instance, origin, 0, state);
    c->steps[instance]++;
    u64 hash = hash_of(to);
    if (constrained) {
        u64 inside = c->within(to);
        if (inside == 2) note_least(c, FAILURE, FAILED_ON_STEP, instance, origin, 0, state);
        else if (inside != 1) {
            c->left_constraint++;
            u64 shown = c->judge(to, c->pending);
            if (shown) note_all(c, shown, FAILED_ON_STATE, hash, instance + 1, origin, state);
        }
        if (inside != 1) return;
    }
    struct step_lanes step = step_lanes(c->constants[instance], origin, hash);
    c->steps_low += step.low;
    c->steps_high += step.high;
    to[words] = instance;
    to[words + 1] = origin;
    to[words + 2] = hash;
    struct table t = sent_table(c);
    prefetch(t.slots + home(t, hash));
}

/* Merge the first n scratch entries into those to be sent. */
void keep(context c, u64 n) {
    for (u64 i = 0; i < n; i++) {
        u64 *from = entry(c->scratch, i), key[2] = {from[words], from[words + 1]}, hash = from[words + 2], position;
        if (key[0] == NO_ENTRY) continue;
        u64 found = find_in(sent_table(c), c->sent, words + 2, from, hash, &position);
        if (found) {
            u64 *kept = sent_at(c->sent, found - 1) + words;
            if (comes_before(key, kept, 2)) kept[0] = key[0], kept[1] = key[1];
            continue;
        }
        u64 count = c->sent_count;
        copy(sent_at(c->sent, count), from, 2);
        c->sent_table[position] = slot_of(hash, count);
        c->sent_count = count + 1;
    }
}

/* Take the steps of the states from the cursor on, until the end or until there is no room. */
void expand(context c) {
    while (c->cursor < c->end && c->sent_count + c->scratch_entries <= c->sent_room) {
        u64 filled = 0, limit = c->scratch_entries - c->out_degree;
        for (; c->cursor < c->end && filled <= limit; c->cursor++) {
            u64 *state = c->frontier + c->cursor * words, origin = hash_of(state);
            if (owner(c, state) != c->shard) continue;
            c->expanded++;
            u64 made = c->step(state, entry(c->scratch, filled), c->pending), end = filled + made;
            c->terminal_states += !made;
            for (; filled < end; filled++) take_step(c, state, origin, entry(c->scratch, filled));
        }
        keep(c, filled);
    }
}

/* The number of entries of each owner. */
void count_owners(context c) {
    for (u64 i = 0; i < c->sent_count; i++) c->offsets[owner(c, sent_at(c->sent, i))]++;
}

/* Copy each entry to its owner's next place. */
void scatter(context c) {
    for (u64 i = 0; i < c->sent_count; i++) {
        u64 *from = sent_at(c->sent, i), of = owner(c, from), place = c->offsets[of];
        copy(sent_at(c->wire, place), from, 2);
        c->offsets[of] = place + 1;
    }
}

/* -- the owner ---------------------------------------------------------------------------------------------------- */

/* Add a state to the owner's array, and to its table in the slot that is free. */
INLINE void append(struct context *c, const u64 *state, u64 hash, u64 position) {
    u64 count = c->count;
    copy(c->states + count * words, state, 0);
    c->table[position] = slot_of(hash, count);
    c->count = count + 1;
}

/* Ask for the slots of a batch of records, and then for the records that they lead to. */
INLINE void ask_for(struct context *c, u64 *records, u64 stride, u64 size) {
    struct table t = own_table(c);
    for (u64 j = 0; j < size; j++) {
        u64 hash = c->hashes[j] = hash_of(records + j * stride);
        prefetch(t.slots + home(t, hash));
    }
    for (u64 j = 0; j < size; j++) {
        u64 slot = t.slots[home(t, c->hashes[j])], *likely = c->states + ((slot & SLOT_INDEX) - 1) * words;
        prefetch((slot ^ c->hashes[j]) <= SLOT_INDEX ? (void *)likely : c);
    }
}

/* Say how a new state was reached, and which partition has the state before. */
INLINE void reached(struct context *c, u64 new, u64 instance, u64 hash) {
    c->actions[new] = instance;
    c->parents[new] = hash;
    c->senders[new] = c->sender;
}

/* Enter n entries; new states are kept with their least (instance, hash before). */
void insert(context c, u64 *restrict records, u64 n) {
    for (u64 first = 0; first < n; first += BATCH) {
        u64 size = least(n - first, BATCH), *batch = sent_at(records, first);
        ask_for(c, batch, words + 2, size);
        for (u64 j = 0; j < size; j++) {
            u64 *state = sent_at(batch, j), key[2] = {state[words], state[words + 1]}, start = c->level_start, position;
            u64 found = find_in(own_table(c), c->states, words, state, c->hashes[j], &position);
            if (!found) {
                reached(c, c->count - start, key[0], key[1]);
                append(c, state, c->hashes[j], position);
            } else if (found > start) {
                u64 new = found - 1 - start, known[2] = {c->actions[new], c->parents[new]};
                if (comes_before(key, known, 2)) reached(c, new, key[0], key[1]);
            }
        }
    }
}

/* Enter those of n logged states that this partition owns. */
void admit(context c, u64 *restrict records, u64 n) {
    for (u64 first = 0; first < n; first += BATCH) {
        u64 size = least(n - first, BATCH), *batch = records + first * words, position;
        ask_for(c, batch, words, size);
        for (u64 j = 0; j < size; j++) {
            u64 *state = batch + j * words;
            if (owner(c, state) != c->shard) continue;
            if (!find_in(own_table(c), c->states, words, state, c->hashes[j], &position))
                append(c, state, c->hashes[j], position);
        }
    }
}

/* Move n slots of an old table, in order, into the table of the context. */
void rehash(context c, u64 *restrict old, u64 n) {
    struct table t = own_table(c);
    for (u64 i = 0; i < n; i++)
        if (old[i]) t.slots[free_from(t, home(t, old[i]))] = old[i];
}

/* Count the states that are new in this level, and evaluate the properties on them. */
void evaluate_new(context c) {
    for (u64 i = c->level_start; i < c->count; i++) {
        u64 *state = c->states + i * words, hash = hash_of(state);
        c->discovered[c->actions[i - c->level_start]]++;
        c->digest_low += hash;
        c->digest_high += hash_lane(state, 1);
        u64 shown = c->judge(state, c->pending);
        if (shown) note_all(c, shown, FAILED_ON_STATE, hash, 0, 0, state);
    }
}

/* The first of n states, from `from` on, with this hash; n if there is none. */
u64 find(u64 *records, u64 from, u64 n, u64 hash) {
    while (from < n && hash_of(records + from * words) != hash) from++;
    return from;
}

/* -- columns ------------------------------------------------------------------------------------------------------ */
/* Entries as columns: they have no unused bytes, and compress better than rows. Hashes are a column by themselves,
   as no compression makes them smaller. The others lie one behind the other: each word of the states, then the
   instances, in two bytes each. */

void to_columns(u64 *restrict records, u64 *restrict hashes, u64 *restrict columns, u64 n) {
    u16 *instances = (u16 *)(columns + n * words);
    for (u64 i = 0; i < n; i++) {
        u64 *from = sent_at(records, i);
        EACH_WORD(w) columns[n * w + i] = from[w];
        instances[i] = from[words];
        hashes[i] = from[words + 1];
    }
}

void to_records(u64 *restrict records, u64 *restrict hashes, u64 *restrict columns, u64 n) {
    u16 *instances = (u16 *)(columns + n * words);
    for (u64 i = 0; i < n; i++) {
        u64 *to = sent_at(records, i);
        EACH_WORD(w) to[w] = columns[n * w + i];
        to[words] = instances[i];
        to[words + 1] = hashes[i];
    }
}
