/* The search kernel: breadth-first expansion over packed states.

    States are kept whole (no two are ever confused) in records: the words of the state and one word with its parent and
   the instance that led to it. The visited table is open addressing over 8-byte slots: the top half of the state's hash
   and, in the lower half, the index of its record plus one (with several workers, the number of its worker above that).
   A slot lies in the bucket of eight that the top of the hash, scaled to the table's size, says, or beyond: so the
   table can have any number of buckets and grows by one sequential sweep; several workers share a table in parts
   (`visited`).

    Of all steps that reach a state at its level, the one with the least instance, and of those the one from the state
   with the least hash, is kept as its predecessor. So the order in which states are found does not matter, and neither
   does the number of workers: counts, traces and digests depend on the specification alone.

    Steps are taken (`take`) and their successors gathered to a batch (`gather`), and their buckets are prefetched;
   then these are looked at and the records that they lead to are prefetched (`look`); only then are the states
   compared (`settle`). Three batches are on their way at a time (`flight`). Memory and unpredictable branches are
   what a search waits for, and this hides most of them. The slots of the context are described in `kernel.py`.

    With `dominating`, a state of the frontier is not expanded if another that was found no later differs from it by
   smaller budgets only (`checker.dominance.budgets`). So that all states that differ by budgets lie in neighbouring
   buckets, the table then goes by another hash (`place_hash`). */

#include "kernel.h"

struct context {
    u64 *records, *table, slots, count, capacity, cursor, level_end, stop_at, pending;
    u64 *buffer, buffer_entries, out_degree, group, made, *origins, origin_count;
    u64 *columns, column_room, **lists, terminal_states, left_constraint;
    u64 digest_low, digest_high, steps_low, steps_high, *steps, *constants, *findings;
    u64 (*step)(const u64 *, u64 *, u64), (*judge)(const u64 *, u64), (*eight)(const u64 *);
    u64 (*eight_steps)(const u64 *, u64 *, u64, u64 *, u64), (*within)(const u64 *);
    void (*canonical_eight)(u64 *, u64);
    u64 worker, workers, **record_bases, *filter, filter_slots, *parts, *occupancy, index_bits, *places;
    u64 *level_ends, *cursors, *signals, quantum, *limits, batch, batch_end, batch_of;
    u64 *core, *budgets, budget_count, dominated, *staged, *names;
};

typedef struct context *restrict context;

/* -- records and findings ---------------------------------------------------------------------------------------- */

INLINE u64 *record(struct context *c, u64 index) { return c->records + index * (words + 1); }
INLINE u64 *record_of(struct context *c, u64 worker, u64 index) {
    return c->record_bases[worker] + index * (words + 1);
}
INLINE u64 *named(struct context *c, u64 name) { return record_of(c, name >> LOCAL_BITS, name & LOCAL); }
INLINE u64 name_of(u64 worker, u64 index) { return worker << LOCAL_BITS | index; }
INLINE u64 predecessor_of(u64 parent, u64 instance) { return parent << INSTANCE_BITS | instance; }
INLINE u64 fingerprint(u64 hash) { return hash ? hash : 1; }

/* -- budgets ------------------------------------------------------------------------------------------------------ */
/* A budget is a field of the state: `mask` bits of a word from `shift` on, all of them turned over by `turned` where
   more is better. The *rank* of a state has all of them side by side, each from bit `at` on. What is left of a state
   without its budgets is its core. */

struct budget { u64 word, shift, mask, turned, at; };

INLINE struct budget *budget(struct context *c, u64 number) { return (struct budget *)c->budgets + number; }

INLINE u64 rank_of(struct context *c, const u64 *state) {
    u64 rank = 0;
    for (u64 i = 0; i < c->budget_count; i++) {
        struct budget *b = budget(c, i);
        rank |= ((state[b->word] >> b->shift & b->mask) ^ b->turned) << b->at;
    }
    return rank;
}

/* The next rank of which no budget exceeds that of the greatest, which comes last. */
INLINE u64 next_rank(struct context *c, u64 rank, u64 greatest) {
    for (u64 i = 0; i < c->budget_count; i++) {
        struct budget *b = budget(c, i);
        u64 field = b->mask << b->at;
        if ((rank & field) < (greatest & field)) return rank + (1ull << b->at);
        rank &= ~field;
    }
    return greatest;
}

INLINE u64 ranked(u64 core, u64 rank) { return core ^ rank << 32; }
INLINE u64 core_hash(struct context *c, const u64 *state) { return hash_bits(state, c->core, 0); }

/* The hash by which the visited table goes: that of the state, or if some states dominate others that of its core with
   the rank in the bits that matter least for the place. */
INLINE u64 place_hash(struct context *c, const u64 *state) {
    return dominating ? ranked(core_hash(c, state), rank_of(c, state)) : hash_of(state);
}

/* Keep a finding if its key is less than that of the one there is. */
APART void note(u64 *findings, u64 slot, u64 k0, u64 k1, u64 k2, u64 k3, u64 name, u64 instance) {
    u64 *at = findings + slot * FINDING_WORDS, key[4] = {k0, k1, k2, k3};
    if (at[0]) {
        int i = 0;
        while (i < 4 && key[i] == at[1 + i]) i++;
        if (i == 4 || key[i] > at[1 + i]) return;
    }
    at[0] = 1;
    for (int i = 0; i < 4; i++) at[1 + i] = key[i];
    at[5] = name;
    at[6] = instance;
}

INLINE u64 wanted(struct context *c, u64 shown) { return shown & (c->pending | 1ull << FAILURE); }

APART void note_step(context c, u64 shown, u64 parent, u64 instance, u64 origin) {
    EACH_BIT(bit, wanted(c, shown))
        note(c->findings, bit, bit == FAILURE ? FAILED_ON_STEP : 0, instance, origin, 0, parent, instance);
}

APART void note_state(context c, u64 shown, u64 hash, u64 name, u64 instance, u64 by, u64 origin) {
    EACH_BIT(bit, wanted(c, shown))
        note(c->findings, bit, bit == FAILURE ? FAILED_ON_STATE : 0, hash, by, origin, name, instance);
}

/* -- visited ------------------------------------------------------------------------------------------------------ */
/* The visited table as a function sees it: of one worker alone, or in parts that all workers share.

   With several workers the table has a part for each, which that worker makes larger; a state belongs to the part that
   its hash's lower half says, and to the position in it that the upper half says. Every worker looks up and inserts
   states in all parts, without locks: it first writes the record, then tries to put it into a slot that is free, and
   looks again if another was faster. A slot that has been taken never changes until all have stopped.

   What never changes while a function runs is read once, if others insert at the same time: LLVM reads all again after
   what another thread may have written in between. */

struct visited { struct context *c; int shared; u64 workers, worker, index_bits, *parts, *places; };

INLINE struct visited visited_at_entry(struct context *c, int shared) {
    if (!shared) return (struct visited){.c = c};
    return (struct visited){c, 1, c->workers, c->worker, c->index_bits, c->parts, c->places};
}

INLINE u64 part_of(const struct visited *v, u64 hash) { return lower_half(hash, v->workers); }

INLINE struct table table_of(const struct visited *v, u64 hash) {
    if (!v->shared) return (struct table){v->c->table, v->c->slots};
    u64 *part = v->parts + part_of(v, hash) * PART_WORDS;
    return (struct table){(u64 *)part[0], part[1]};
}

INLINE struct table filter_of(const struct visited *v, u64 hash) {
    if (!v->shared) return (struct table){v->c->filter, v->c->filter_slots};
    u64 *part = v->parts + part_of(v, hash) * PART_WORDS;
    return (struct table){(u64 *)part[2], part[3]};
}

INLINE u64 load_slot(const struct visited *v, const u64 *at) {
    return v->shared ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : *at;
}

/* The record that a slot leads to, and whether it is of the frontier or of a level before; for a free slot, any. */
struct known { u64 *record; u64 earlier; };

INLINE struct known known_by(const struct visited *v, u64 slot) {
    u64 index = (slot - 1) & SLOT_INDEX;
    if (!v->shared) return (struct known){record(v->c, index), index < v->c->level_end};
    u64 *place = v->places + (index >> v->index_bits) * PLACE_WORDS;
    return (struct known){(u64 *)place[0] + index * (words + 1), index < place[1]};
}

INLINE u64 own_slot(const struct visited *v, u64 hash, u64 index) {
    return slot_of(hash, v->shared ? (v->worker << v->index_bits) + index : index);
}

INLINE int exchange(u64 *at, u64 *expected, u64 new) {
    return __atomic_compare_exchange_n(at, expected, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* -- insert ------------------------------------------------------------------------------------------------------- */

/* Keep the lesser of two steps to a state of the next frontier. */
INLINE void prefer_in(struct context *c, u64 *to, u64 predecessor, int shared) {
    struct visited v = visited_at_entry(c, shared);
    u64 *place = to + words, instance = predecessor & INSTANCE;
    for (;;) {
        u64 before = load_slot(&v, place), kept = before & INSTANCE;
        if (instance > kept) return;
        if (instance == kept) {
            u64 mine = hash_of(named(c, predecessor >> INSTANCE_BITS));
            if (mine >= hash_of(named(c, before >> INSTANCE_BITS))) return;
        }
        if (!shared) {
            *place = predecessor;
            return;
        }
        if (exchange(place, &before, predecessor)) return;
    }
}

VARIANTS(APART void, prefer, (context c, u64 *to, u64 predecessor), c, to, predecessor)

/* Whether the filter has the fingerprint of a state, which then counts as known. */
INLINE int in_filter(struct table t, u64 hash) {
    u64 fingerprint_ = fingerprint(hash);
    for (u64 at = home(t, hash);; at = after(t, at, 1)) {
        u64 slot = t.slots[at];
        if (!slot) return 0;
        if (slot == fingerprint_) return 1;
    }
}

/* Whether a state is inside the constraint. One outside is refused, and its properties evaluated. */
INLINE int inside(struct context *c, u64 *at, u64 hash) {
    u64 inside = c->within(at);
    if (inside == 1) return 1;
    if (dominating) hash = hash_of(at);
    u64 predecessor = at[words], parent = predecessor >> INSTANCE_BITS, instance = predecessor & INSTANCE;
    u64 origin = hash_of(named(c, parent));
    struct step_lanes step = step_lanes(c->constants[instance], origin, hash);
    c->steps_low -= step.low;
    c->steps_high -= step.high;
    if (inside == 2) {
        note(c->findings, FAILURE, FAILED_ON_STEP, instance, origin, 0, parent, instance);
        return 0;
    }
    c->left_constraint++;
    u64 shown = c->judge(at, c->pending);
    if (shown) note_state(c, shown, hash, parent, instance, instance + 1, origin);
    return 0;
}

INLINE void insert_entry_in(struct context *c, u64 *at, int shared) {
    struct visited v = visited_at_entry(c, shared);
    u64 predecessor = at[words], hash = at[words + 1], instance = predecessor & INSTANCE;
    if (compacted && in_filter(filter_of(&v, hash), hash)) return;
    struct table t = table_of(&v, hash);
    u64 position = bucket_home(t, hash);
again:
    for (;; position = after(t, position & -LANES, LANES)) {
        u64 first = position & -LANES, *bucket = t.slots + first;
        struct shown s = shown_by(bucket, hash >> 32, shared);
        for (u64 alike = s.same & ~s.free; alike; alike &= alike - 1) {
            struct known k = known_by(&v, load_slot(&v, bucket + __builtin_ctzll(alike)));
            if (differs(k.record, at)) continue;
            if (k.earlier || instance > (load_slot(&v, k.record + words) & INSTANCE)) return;
            VARIANT(shared, prefer, c, k.record, predecessor);
            return;
        }
        if (s.free) {
            position = first + __builtin_ctzll(s.free);
            break;
        }
    }
    if (constrained && !inside(c, at, hash)) return;
    u64 count = c->count, slot = own_slot(&v, hash, count), nothing = 0;
    copy(record(c, count), at, 1);
    if (!shared) t.slots[position] = slot;
    else {
        if (!exchange(t.slots + position, &nothing, slot)) goto again;
        c->occupancy[part_of(&v, hash)]++;
    }
    c->count = count + 1;
}

VARIANTS(APART void, insert_entry, (context c, u64 *at), c, at)

void insert(context c, u64 *entries, u64 n) {
    for (u64 i = 0; i < n; i++) {
        u64 *at = entry(entries, i);
        if (dominating) at[words + 1] = place_hash(c, at);
        insert_entry(c, at);
    }
}

/* -- evaluate ----------------------------------------------------------------------------------------------------- */

/* Which states show something does not depend on when, nor on how many at once, they are looked at: of all findings
   of a level the one with the least key is kept. So records are evaluated some time after they have been written,
   when there are eight of them, and before the kernel returns. */

void add_states(context c, u64 first, u64 end) {
    u64 low = 0, high = 0;
    for (u64 i = first; i < end; i++) {
        low += hash_lane(record(c, i), 0);
        high += hash_lane(record(c, i), 1);
    }
    c->digest_low += low;
    c->digest_high += high;
}

INLINE void evaluate_record(struct context *c, u64 index) {
    u64 *state = record(c, index), shown = c->judge(state, c->pending);
    if (shown) note_state(c, shown, hash_of(state), name_of(c->worker, index), NO_INSTANCE, 0, 0);
}

/* Note what these records show; the first that is not evaluated yet. Fewer than eight are left where there is code for
   eight, unless `all` is 1. */
u64 evaluate(context c, u64 first, u64 end, u64 all) {
    u64 i = first;
    if (c->eight) {
        for (; i + LANES <= end; i += LANES)
            if (c->eight(record(c, i)) & c->pending)
                for (u64 one = i; one < i + LANES; one++) evaluate_record(c, one);
        if (!all) {
            add_states(c, first, i);
            return i;
        }
    }
    for (; i < end; i++) evaluate_record(c, i);
    add_states(c, first, end);
    return end;
}

void count_discovered(context c, u64 first, u64 end, u64 *counts) {
    u64 *records = c->records;
    for (u64 i = first; i < end; i++) counts[records[i * (words + 1) + words] & INSTANCE]++;
}

/* Evaluate records and note nothing, to see how long it takes; with code for eight, or without. */
u64 trial(context c, u64 (*eight)(const u64 *), u64 first, u64 end) {
    u64 shown = 0;
    if (eight) for (u64 i = first; i < end; i += LANES) shown |= eight(record(c, i));
    else for (u64 i = first; i < end; i++) shown |= c->judge(record(c, i), c->pending);
    return shown & c->pending;
}

/* -- steps -------------------------------------------------------------------------------------------------------- */
/* An origin says of a state whose successors are in the buffer where they end, its name and its hash. */

/* The name of one of several states whose steps are taken: they are neighbours, or were chosen (`stage`). */
INLINE u64 name_at(struct context *c, u64 name, u64 number) { return dominating ? c->names[number] : name + number; }

INLINE u64 add_origin(struct context *c, u64 origins, u64 found, u64 end, u64 name, u64 hash) {
    u64 *at = c->origins + origins * ORIGIN_WORDS;
    at[0] = end;
    at[1] = name;
    at[2] = hash;
    return origins + (found != 0);
}

void take_one(context c, u64 *state, u64 name) {
    u64 made = c->made, origins = c->origin_count;
    u64 found = c->step(state, entry(c->buffer, made), c->pending), end = made + found;
    c->origin_count = add_origin(c, origins, found, end, name, hash_of(state));
    c->made = end;
    c->terminal_states += found == 0;
}

/* Give each lane the places for its successors, and the hash of its state; where the places end. */
INLINE u64 place(struct context *c, u64 *state, u64 first) {
    u64 *lanes = c->columns;
    for (int i = 0; i < LANES; i++) lanes[2 * LANES + i] = hash_of(state + i * (words + 1));
    for (int i = 0; i < LANES; i++) c->terminal_states += lanes[i] == 0;
    return place_lanes(lanes, first);
}

INLINE u64 take_columns(struct context *c, u64 *state) {
    return c->eight_steps(state, c->columns + COLUMNS_FROM, c->column_room, c->columns, c->pending);
}

u64 take_eight(context c, u64 *state, u64 name) {
    u64 found = take_columns(c, state);
    if (found == LOOK_CLOSER) return 0;
    u64 end = c->made, origins = c->origin_count, *lane = c->columns, room = c->column_room;
    c->made = place(c, state, end);
    for (u64 i = 0; i < LANES; i++) {
        end += lane[i];
        origins = add_origin(c, origins, lane[i], end, name_at(c, name, i), lane[2 * LANES + i]);
    }
    c->origin_count = origins;
    u64 *columns = lane + COLUMNS_FROM, *buffer = c->buffer;
    for (u64 i = 0; i < found; i++) {
        u64 tag = columns[room * words + i], *to = entry(buffer, lane[LANES + (tag >> INSTANCE_BITS)]++);
        EACH_WORD(w) to[w] = columns[room * w + i];
        to[words] = tag & INSTANCE;
    }
    return 1;
}

INLINE void take_each(struct context *c, u64 *state, u64 name, u64 count) {
    for (u64 i = 0; i < count; i++) take_one(c, state + i * (words + 1), name_at(c, name, i));
}

void take(context c, u64 *state, u64 name, u64 count) {
    if (count == LANES && c->eight_steps && take_eight(c, state, name)) return;
    take_each(c, state, name, count);
}

/* Take steps for nothing, to see how long it takes; with code for eight, or without. */
void trial_steps(context c, void *eight, u64 first, u64 end) {
    void *used = c->eight_steps;
    u64 terminal = c->terminal_states;
    c->eight_steps = eight;
    for (u64 i = first; i < end;) {
        u64 count = least(c->group, end - i);
        c->made = c->origin_count = 0;
        take(c, record(c, i), i, count);
        i += count;
    }
    c->eight_steps = used;
    c->terminal_states = terminal;
}

/* -- gather ------------------------------------------------------------------------------------------------------- */

/* Write what an entry has beside its state, and ask for its bucket. */
INLINE void finish(const struct visited *v, u64 *at, u64 predecessor, u64 hash) {
    struct table t = table_of(v, hash);
    u64 *bucket = t.slots + bucket_home(t, hash);
    prefetch(bucket);
    if (compacted) {
        struct table f = filter_of(v, hash);
        prefetch(f.slots + home(f, hash));
    }
    at[words] = predecessor;
    at[words + 1] = hash;
    at[words + 2] = (u64)bucket;
}

INLINE u64 gather_in(struct context *c, u64 *batch, u64 n, int shared) {
    struct visited v = visited_at_entry(c, shared);
    u64 kept = 0, low = 0, high = 0, *made = c->buffer, *origin = c->origins, *steps = c->steps;
    if (symmetric) c->canonical_eight(made, n);
    for (u64 i = 0; i < n; i++) {
        u64 *before = entry(made, i), *to = entry(batch, kept);
        origin += origin[0] == i ? ORIGIN_WORDS : 0;
        u64 parent = origin[1], from = origin[2], tag = before[words], instance = tag & INSTANCE;
        if (tag > INSTANCE) {
            if ((long long)tag < 0) {
                note(c->findings, FAILURE, FAILED_STEP, instance, from, 0, parent, instance);
                continue;
            }
            note_step(c, tag >> INSTANCE_BITS, parent, instance, from);
        }
        copy(to, before, 0);
        u64 hash = hash_of(before);
        finish(&v, to, predecessor_of(parent, instance), dominating ? place_hash(c, before) : hash);
        steps[instance]++;
        struct step_lanes step = step_lanes(c->constants[instance], from, hash);
        low += step.low;
        high += step.high;
        kept++;
    }
    c->steps_low += low;
    c->steps_high += high;
    return kept;
}

VARIANTS(u64, gather, (context c, u64 *batch, u64 n), c, batch, n)

INLINE u64 gather_eight_in(struct context *c, u64 *state, u64 name, u64 *batch, int shared) {
    struct visited v = visited_at_entry(c, shared);
    u64 found = take_columns(c, state), low = 0, high = 0;
    if (found == LOOK_CLOSER) return LOOK_CLOSER;
    place(c, state, 0);
    u64 *steps = c->steps, first = name << INSTANCE_BITS, *lane = c->columns, room = c->column_room;
    u64 *columns = lane + COLUMNS_FROM, *tags = columns + room * words;
    for (u64 i = 0; i < found; i++) {
        u64 tag = tags[i], number = tag >> INSTANCE_BITS, instance = tag & INSTANCE;
        u64 *to = entry(batch, lane[LANES + number]++);
        EACH_WORD(w) to[w] = columns[room * w + i];
        u64 hash = hash_of(to);
        /* the tag has the lane where a predecessor has the name */
        u64 predecessor = dominating ? predecessor_of(c->names[number], instance) : first + tag;
        finish(&v, to, predecessor, dominating ? place_hash(c, to) : hash);
        steps[instance]++;
        struct step_lanes step = step_lanes(c->constants[instance], lane[2 * LANES + number], hash);
        low += step.low;
        high += step.high;
    }
    c->steps_low += low;
    c->steps_high += high;
    return found;
}

VARIANTS(u64, gather_eight, (context c, u64 *state, u64 name, u64 *batch), c, state, name, batch)

INLINE u64 gather_group_in(struct context *c, u64 *state, u64 name, u64 count, u64 *batch, int shared) {
    if (count == LANES && c->eight_steps) {
        u64 gathered = VARIANT(shared, gather_eight, c, state, name, batch);
        if (gathered != LOOK_CLOSER) return gathered;
    }
    c->made = c->origin_count = 0;
    take_each(c, state, name, count);
    return VARIANT(shared, gather, c, batch, c->made);
}

VARIANTS(u64, gather_group, (context c, u64 *state, u64 name, u64 count, u64 *batch), c, state, name, count, batch)

/* -- batch -------------------------------------------------------------------------------------------------------- */
/* What becomes of a batch of successors: most are known, and are seen to be without an unpredictable branch.

    `look` reads the bucket of each entry at once. Where a slot has the upper half of its hash, that leads to the record
   which is likely to hold it; where none has and one is free, the state is new. `settle` compares the states. What
   remains goes on two lists: entries of which nothing is certain yet, which are inserted one by one, and those that may
   come by a lesser step to a state of the next frontier.

    The first free slot of a bucket is the only one that a state of it can go to. So a state that was not in the bucket
   is still new if that slot is still free: a worker that shares the table takes it by one exchange, which says what is
   there if another state was faster.

    Bits of the address of a record that an entry has in its last word: the record is of the next frontier; or there
   is none, and the entry must be inserted. */

enum { NEXT = 1, UNCERTAIN = 2 };
#define ADDRESS (-1ull << 3)

INLINE u64 **list(struct context *c, int number) { return c->lists + number * (c->buffer_entries + 1); }
INLINE u64 found_at(u64 *at, u64 earlier) { return (u64)at | !earlier; }

/* Ask for the record that is likely to hold a state; for the next bucket if this one is full of others. */
INLINE void ask(u64 certain, u64 where, u64 *bucket) {
    u64 next = (u64)(bucket + LANES);
    prefetch((void *)(certain ? where : next));
}

/* Each entry is written to the next record, and stays there if it is new. */
INLINE void look_alone(struct context *c, u64 *entries, u64 n) {
    struct visited v = visited_at_entry(c, 0);
    u64 count = c->count, end = c->level_end;
    for (u64 i = 0; i < n; i++) {
        u64 *at = entry(entries, i), hash = at[words + 1], *bucket = (u64 *)at[words + 2];
        struct seen s = see(bucket, hash, 0);
        u64 slot = *s.slot, own = own_slot(&v, hash, count), known = (slot - 1) & SLOT_INDEX;
        copy(record(c, count), at, 1);
        *s.slot = s.new ? own : slot;
        u64 index = s.new ? count : known, certain = s.new | s.like;
        u64 found = found_at(record(c, index), index < end), uncertain = (u64)at | UNCERTAIN;
        u64 where = certain ? found : uncertain;
        at[words + 2] = where;
        ask(certain, where, bucket);
        count += s.new;
    }
    c->count = count;
}

/* Keep a new state in the next record, if its slot is still free; else the state in the slot is likely to be it. A
   third of what is new is twice in a batch, so a branch on that would be dear: the exchange is tried without, and
   says what the slot holds. What it has written for a state that is known is overwritten by the next. */
INLINE u64 claim(struct context *c, const struct visited *v, u64 *at, u64 count) {
    u64 hash = at[words + 1], *slot = (u64 *)at[words + 2], *to = record(c, count), there = 0;
    copy(to, at, 1);
    u64 claimed = exchange(slot, &there, own_slot(v, hash, count));
    struct known k = known_by(v, there);
    u64 like = (there ^ hash) <= SLOT_INDEX, found = found_at(k.record, k.earlier), uncertain = (u64)at | UNCERTAIN;
    u64 other = like ? found : uncertain, own = (u64)to | NEXT;
    at[words + 2] = claimed ? own : other;
    c->occupancy[part_of(v, hash)] += claimed;
    return count + claimed;
}

INLINE void look_at(struct context *c, u64 *entries, u64 n, int shared, int claims) {
    struct visited v = visited_at_entry(c, shared);
    u64 **new = list(c, 0), news = 0;
    for (u64 i = 0; i < n; i++) {
        u64 *at = entry(entries, i), *bucket = (u64 *)at[words + 2];
        struct seen s = see(bucket, at[words + 1], shared);
        struct known k = known_by(&v, load_slot(&v, s.slot));
        u64 found = found_at(k.record, k.earlier), uncertain = (u64)at | UNCERTAIN;
        u64 where = s.like ? found : uncertain, slot = (u64)s.slot;
        at[words + 2] = claims ? (s.new ? slot : where) : where;
        ask(s.like | s.new, where, bucket);
        new[news] = at;
        news += s.new;
    }
    if (!claims) return;
    u64 count = c->count;
    for (u64 i = 0; i < news; i++) count = claim(c, &v, new[i], count);
    c->count = count;
}

INLINE int simple(void) { return !constrained & !compacted; }

INLINE void look_in(struct context *c, u64 *entries, u64 n, int shared) {
    if (simple() && !shared) look_alone(c, entries, n);
    else look_at(c, entries, n, shared, simple());
}

VARIANTS(void, look, (context c, u64 *entries, u64 n), c, entries, n)

/* Ask for the record in the bucket after its own that is likely to hold the state of an entry. */
INLINE void ask_beyond(const struct visited *v, u64 *at) {
    u64 hash = at[words + 1];
    struct table t = table_of(v, hash);
    struct seen s = see(t.slots + after(t, bucket_home(t, hash), LANES), hash, v->shared);
    u64 *likely = known_by(v, load_slot(v, s.slot)).record;
    prefetch(s.like ? likely : at);
}

INLINE void settle_in(struct context *c, u64 *entries, u64 n, int shared) {
    struct visited v = visited_at_entry(c, shared);
    u64 **uncertain = list(c, 0), **lesser = list(c, 1), uncertains = 0, lessers = 0;
    for (u64 i = 0; i < n; i++) {
        u64 *at = entry(entries, i), where = at[words + 2], predecessor = at[words], *to = (u64 *)(where & ADDRESS);
        u64 different = where & UNCERTAIN;
        EACH_WORD(w) different |= at[w] ^ to[w];
        u64 before = load_slot(&v, to + words), same = different == 0, next = (where & NEXT) != 0;
        u64 least_is = (predecessor & INSTANCE) > (before & INSTANCE);
        uncertain[uncertains] = at;
        uncertains += !same;
        lesser[lessers] = at;
        lessers += same & next & !least_is & (predecessor != before);
    }
    if (simple()) for (u64 i = 0; i < uncertains; i++) ask_beyond(&v, uncertain[i]);
    for (u64 i = 0; i < uncertains; i++) {
        VARIANT(shared, insert_entry, c, uncertain[i]);
    }
    for (u64 i = 0; i < lessers; i++) {
        u64 *at = lesser[i], *to = (u64 *)(at[words + 2] & ADDRESS);
        VARIANT(shared, prefer, c, to, at[words]);
    }
}

VARIANTS(void, settle, (context c, u64 *entries, u64 n), c, entries, n)

/* -- flight ------------------------------------------------------------------------------------------------------- */
/* Batches on their way into the table: three at a time, each waiting for memory while the others are worked on. A batch
   is gathered and its buckets are asked for; when the next has been gathered, its buckets are looked at and the records
   that they lead to are asked for; one batch later it is settled. */

struct flight { u64 *gathered, *looked_up, *last, sizes[2]; };

INLINE void move_on(struct context *c, struct flight *f, int shared) {
    VARIANT(shared, settle, c, f->last, f->sizes[1]);
    VARIANT(shared, look, c, f->looked_up, f->sizes[0]);
}

INLINE void send(struct context *c, struct flight *f, u64 count, int shared) {
    move_on(c, f, shared);
    u64 *free = f->last;
    f->last = f->looked_up;
    f->looked_up = f->gathered;
    f->gathered = free;
    f->sizes[1] = f->sizes[0];
    f->sizes[0] = count;
}

INLINE void land(struct context *c, struct flight *f, int shared) {
    send(c, f, 0, shared);
    send(c, f, 0, shared);
}

/* -- dominance ---------------------------------------------------------------------------------------------------- */

INLINE u64 beyond_budgets(struct context *c, const u64 *a, const u64 *b) {
    u64 total = 0;
    EACH_WORD(w) total |= (a[w] ^ b[w]) & c->core[w];
    return total;
}

/* Whether the state that has this rank and is as `state` otherwise was found no later than the frontier: all of that is
   known when its states are expanded, whoever expands them, and in whatever order. */
INLINE int is_earlier(struct context *c, const struct visited *v, const u64 *state, u64 hash, u64 rank) {
    if (compacted) return in_filter(filter_of(v, hash), hash);
    struct table t = table_of(v, hash);
    for (u64 position = bucket_home(t, hash);; position = after(t, position, LANES)) {
        u64 *bucket = t.slots + position;
        struct shown s = shown_by(bucket, hash >> 32, v->shared);
        for (u64 alike = s.same & ~s.free; alike; alike &= alike - 1) {
            struct known k = known_by(v, load_slot(v, bucket + __builtin_ctzll(alike)));
            if (k.earlier && rank_of(c, k.record) == rank && !beyond_budgets(c, k.record, state)) return 1;
        }
        if (s.free) return 0;
    }
}

/* Whether a state can be left out: of those with smaller budgets that are the same otherwise, one is there. */
INLINE int is_dominated(struct context *c, const struct visited *v, const u64 *state) {
    u64 greatest = rank_of(c, state), core = core_hash(c, state);
    for (u64 rank = 0; rank != greatest; rank = next_rank(c, rank, greatest))
        if (is_earlier(c, v, state, ranked(core, rank), rank)) return 1;
    return 0;
}

INLINE void ask_core(struct context *c, const struct visited *v, const u64 *state) {
    u64 hash = place_hash(c, state);
    struct table t = compacted ? filter_of(v, hash) : table_of(v, hash);
    prefetch(t.slots + (compacted ? home(t, hash) : bucket_home(t, hash)));
}

enum { SOON = 16 }; /* of so many states after the next the buckets are asked for */

/* Copy the next states that are not dominated, at most a group of them, with their names; how many states that took. */
INLINE u64 stage_in(struct context *c, u64 *state, u64 name, u64 left, u64 *staged, int shared) {
    struct visited v = visited_at_entry(c, shared);
    u64 passed = 0, kept = 0;
    for (; kept < c->group && passed < left; passed++) {
        u64 *one = state + passed * (words + 1);
        if (passed + SOON < left) ask_core(c, &v, one + SOON * (words + 1));
        if (is_dominated(c, &v, one)) c->dominated++;
        else {
            copy(c->staged + kept * (words + 1), one, 1);
            c->names[kept++] = name + passed;
        }
    }
    *staged = kept;
    return passed;
}

VARIANTS(static APART u64, stage, (context c, u64 *state, u64 name, u64 left, u64 *staged), c, state, name, left, staged)

/* -- expand ------------------------------------------------------------------------------------------------------- */

/* The states of the frontier lie with the workers that found them, in the order in which they did. A worker that shares
   a search takes its own first and then those of the others, a batch at a time, so neighbouring states are much alike:
   that is good for cache locality and for branch prediction. Nobody waits for anybody before the end of a level or of a
   quantum; nothing is locked. */

enum { BATCH = 64 }; /* how many states a worker takes at a time */

/* Stop, and let the others stop, if one more batch could fill the records or some part of the table. */
INLINE int is_full(struct context *c) {
    u64 buffered = c->buffer_entries * IN_FLIGHT, *occupancy = c->occupancy, *limits = c->limits;
    int full = c->count + buffered > c->capacity;
    for (u64 part = 0; part < c->workers; part++) full |= occupancy[part] + buffered > limits[part];
    if (full) __atomic_store_n(c->signals + STOP, 1, __ATOMIC_RELAXED);
    return full;
}

/* Take a batch of the frontier; 0 if there is none, or the quantum is done. */
INLINE int take_batch(struct context *c, u64 *passed) {
    if (__atomic_load_n(c->signals + STOP, __ATOMIC_RELAXED)) return 0;
    if (__atomic_fetch_add(c->signals + TAKEN, BATCH, __ATOMIC_RELAXED) >= c->quantum) return 0;
    for (; *passed < c->workers; ++*passed) {
        u64 number = c->worker + *passed, worker = number >= c->workers ? number - c->workers : number;
        u64 first = __atomic_fetch_add(c->cursors + worker * STRIDE, BATCH, __ATOMIC_RELAXED);
        u64 end = c->level_ends[worker];
        if (first < end) {
            c->batch = first;
            c->batch_end = least(first + BATCH, end);
            c->batch_of = worker;
            return 1;
        }
    }
    return 0;
}

/* Add the successors of a group of records to the batch; of how many. */
INLINE u64 add_group(struct context *c, struct flight *f, u64 *gathered, u64 *state, u64 name, u64 left, int shared) {
    u64 count = least(c->group, left), passed = count;
    if (dominating) {
        passed = VARIANT(shared, stage, c, state, name, left, &count);
        state = c->staged;
    }
    if (symmetric) take(c, state, name, count);
    else {
        u64 *to = entry(f->gathered, *gathered);
        *gathered += VARIANT(shared, gather_group, c, state, name, count, to);
    }
    return passed;
}

INLINE int batch_is_full(struct context *c, u64 gathered) {
    return (symmetric ? c->made : gathered) > c->buffer_entries - c->out_degree * c->group;
}

INLINE void expand_in(struct context *c, int shared) {
    struct flight f = {entry(c->buffer, c->buffer_entries), entry(c->buffer, c->buffer_entries * 2),
                       entry(c->buffer, c->buffer_entries * 3), {0, 0}};
    u64 unevaluated = c->count, passed = 0;
    for (int over = 0; !over;) {
        u64 end = least(c->level_end, c->stop_at), gathered = 0;
        if (shared) {
            if (is_full(c)) break;
        } else if (c->cursor >= end || c->count + c->buffer_entries * IN_FLIGHT > c->capacity) break;
        c->made = c->origin_count = 0;
        while (!batch_is_full(c, gathered)) {
            if (shared) {
                if (c->batch >= c->batch_end) {
                    if (take_batch(c, &passed)) continue;
                    over = 1;
                    break;
                }
                u64 at = c->batch, worker = c->batch_of;
                u64 *state = record_of(c, worker, at), left = c->batch_end - at;
                c->batch = at + add_group(c, &f, &gathered, state, name_of(worker, at), left, 1);
            } else {
                u64 at = c->cursor;
                if (at >= end) break;
                c->cursor = at + add_group(c, &f, &gathered, record(c, at), name_of(c->worker, at), end - at, 0);
            }
        }
        if (symmetric) gathered = VARIANT(shared, gather, c, f.gathered, c->made);
        send(c, &f, gathered, shared);
        unevaluated = evaluate(c, unevaluated, c->count, 0);
    }
    land(c, &f, shared);
    evaluate(c, unevaluated, c->count, 1);
}

VARIANTS(void, expand, (context c), c)

/* -- whole tables ------------------------------------------------------------------------------------------------- */

u64 hash(u64 *state) { return hash_of(state); }

/* Take a piece of a table out; how many slots are aside. */
INLINE u64 take_piece(u64 *table, u64 start, u64 end, u64 *aside) {
    u64 taken = 0;
    for (u64 i = start; i < end; i++) {
        u64 slot = table[i];
        table[i] = 0;
        aside[taken] = slot;
        taken += slot != 0;
    }
    return taken;
}

/* Move the slots of a table that has become larger to where they belong. Positions only grow, in the order of the
   hashes, so pieces are taken out from the end to the beginning, into `aside` with room for a piece, whose size is a
   power of two, and put back. A slot that would belong before its piece, among those not yet taken out, would be
   displaced a thousand times as far as hashes make plausible: then the result is 1, and the table is of no use. */
u64 spread_filter(u64 *restrict slots, u64 old, u64 size, u64 *restrict aside, u64 piece) {
    struct table t = {slots, size};
    for (u64 end = old, start; end; end = start) {
        start = (end - 1) & -piece;
        u64 taken = take_piece(slots, start, end, aside);
        for (u64 i = 0; i < taken; i++) {
            u64 slot = aside[i], at = home(t, slot);
            if (at < start) return 1;
            slots[free_from(t, at)] = slot;
        }
    }
    return 0;
}

/* Likewise for a table of buckets, of which `aside` counts the slots that are taken in those where a piece goes to. A
   bucket is filled from its first slot on, so a count says where the next one goes. To look at the bucket instead would
   be to wait for what has just been written to it. What belongs elsewhere, or to a bucket that is full, is put back one
   by one. */
u64 spread(u64 *restrict slots, u64 old, u64 size, u64 *restrict aside, u64 piece) {
    struct table t = {slots, size};
    u64 room = piece * COUNTED >> 3, before = old >> 3, now = size >> 3;
    u8 *counts = (u8 *)(aside + piece);
    for (u64 end = old, start; end; end = start) {
        start = (end - 1) & -piece;
        u64 taken = take_piece(slots, start, end, aside), left = 0;
        u64 low = (start >> 3) * now / before, high = (end >> 3) * now / before;
        u64 counted = least(least(high + 1, now) - low, room);
        for (u64 i = 0; i < counted; i++)
            counts[i] = LANES - __builtin_popcountll(shown_by(slots + (low + i) * 8, 0, 0).free);
        for (u64 i = 0; i < taken; i++) {
            u64 slot = aside[i], at = bucket_home(t, slot), index = (at >> 3) - low;
            if (index < counted && counts[index] < LANES) slots[at + counts[index]++] = slot;
            else aside[left++] = slot;
        }
        for (u64 i = 0; i < left; i++) {
            u64 slot = aside[i], at = bucket_home(t, slot);
            if (at < start) return 1;
            slots[bucket_free_from(t, at)] = slot;
        }
    }
    return 0;
}

/* Put the fingerprints of these records into the filters, which have room. */
void absorb(context c, u64 first, u64 end) {
    struct visited v = visited_at_entry(c, 1);
    for (u64 i = first; i < end; i++) {
        u64 hash = place_hash(c, record(c, i)), slot = fingerprint(hash);
        struct table t = filter_of(&v, hash);
        t.slots[free_from(t, home(t, slot))] = slot;
    }
}

/* Hand records of one level of a former worker to a worker that has room; `before` has for each former worker the new
   names of the level before, and `names` receives those of these. */
INLINE void adopt_in(struct context *c, u64 *from, u64 first, u64 end, u64 **before, u64 *names, int into_table) {
    struct visited v = visited_at_entry(c, 1);
    for (u64 i = first; i < end; i++) {
        u64 *source = from + i * (words + 1), hash = place_hash(c, source), count = c->count, *to = record(c, count);
        u64 predecessor = source[words], parent = predecessor >> INSTANCE_BITS;
        if (parent != INITIAL) parent = before[parent >> LOCAL_BITS][parent & LOCAL];
        copy(to, source, 0);
        to[words] = predecessor_of(parent, predecessor & INSTANCE);
        names[i] = name_of(c->worker, count);
        c->count = count + 1;
        if (into_table) {
            struct table t = table_of(&v, hash);
            t.slots[bucket_free_from(t, bucket_home(t, hash))] = own_slot(&v, hash, count);
        }
        c->occupancy[part_of(&v, hash)]++;
    }
}

void adopt(context c, u64 *from, u64 first, u64 end, u64 **before, u64 *names) {
    adopt_in(c, from, first, end, before, names, 1);
}
void adopt_records(context c, u64 *from, u64 first, u64 end, u64 **before, u64 *names) {
    adopt_in(c, from, first, end, before, names, 0);
}
