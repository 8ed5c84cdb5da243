/* The kernels that judge promises: the edges between the states that a search has found, components of them, and passes
   over all states that judge many promises at once, a bit of a word each.

    States have numbers: those of the first worker come first, each worker's in the order of its records. What must read
   a state itself is called for a stretch of one worker's records; what needs only edges, for all states at once.

    `records` are those of the stretch, whose first state has the number `base`; `first` and `end` are the states to
   go through, `states` how many there are. `offsets` has for each state where its edges begin. `by` has for each
   instance the bits that a step of it, or that a bound stops it, stands for: promises that assume its fairness, or
   units of fairness. `bit` is that of one promise; `once` are the bits of those whose premise is asked of initial
   states alone. */

#include "kernel.h"

struct context {
    u64 *records, base, first, end, states;
    u64 *table, slots, workers, *parts, index_bits, **record_bases, *number_bases;
    u64 (*step)(const u64 *, u64 *, u64), *buffer, buffer_entries, out_degree, cursor, stop_at;
    u64 (*eight_steps)(const u64 *, u64 *, u64, u64 *, u64), *columns, column_room;
    u64 *offsets;
    u32 *targets;
    u16 *labels;
    u64 edges, room, missing;
    u64 (*premises)(const u64 *), (*goals)(const u64 *), (*failing)(const u64 *), once;
    u64 (*stopped)(const u64 *, const u64 *), *by;
    u64 *waiting, *without, failed, found, *counts;
    u64 bit;
    u32 *component, *within, *low, *stack, *frames;
    u64 *cursors;
    u64 *always, *taken, *ever, *verdicts, weak, strong;
    u32 *left, *doomed;
    u64 components;
    u32 *ends, *cost, *levels;
    u64 wanted, target, best_cost, best_kind, best_hash, best;
    u32 *origin, *origin_label;
    u64 *origin_hash;
};

typedef struct context *restrict context;

#define ON_STACK (1ull << 31) /* the bit of a state on the stack; the others are the least index that it leads to */
enum { UNFAIR = 1, AGAIN = 2 }; /* no fair run stays in a component; part of it is left out, the rest looked at again */

#define EACH_STATE(c, state) for (u64 state = c->first; state < c->end; state++)
#define EACH_EDGE(c, edge, state) for (u64 edge = c->offsets[state], end_ = c->offsets[state + 1]; edge < end_; edge++)

INLINE u64 *state_of(struct context *c, u64 number) { return c->records + (number - c->base) * (words + 1); }

/* -- edges -------------------------------------------------------------------------------------------------------- */

INLINE struct table table_of(struct context *c, u64 hash) {
    if (!several) return (struct table){c->table, c->slots};
    u64 *part = c->parts + lower_half(hash, c->workers) * PART_WORDS;
    return (struct table){(u64 *)part[0], part[1]};
}

struct known { u64 *record, number; };

INLINE struct known known_by(struct context *c, u64 slot) {
    u64 index = (slot - 1) & SLOT_INDEX;
    if (!several) return (struct known){c->records + index * (words + 1), index};
    u64 worker = index >> c->index_bits, local = index - (worker << c->index_bits);
    return (struct known){c->record_bases[worker] + local * (words + 1), c->number_bases[worker] + local};
}

/* The number of a state; OUTSIDE for one that is none. */
INLINE u64 number_of(struct context *c, const u64 *state, u64 hash) {
    struct table t = table_of(c, hash);
    for (u64 at = bucket_home(t, hash);; at = after(t, at, LANES)) {
        struct shown s = shown_by(t.slots + at, hash >> 32, 0);
        for (u64 alike = s.same & ~s.free; alike; alike &= alike - 1) {
            struct known k = known_by(c, t.slots[at + __builtin_ctzll(alike)]);
            if (!differs(k.record, state)) return k.number;
        }
        if (s.free) return OUTSIDE;
    }
}

/* Write what an entry has beside its state and instance, and ask for its slot. */
INLINE void prepare(struct context *c, u64 *at, u64 origin) {
    u64 hash = hash_of(at);
    at[words + 1] = hash;
    at[words + 2] = origin;
    struct table t = table_of(c, hash);
    prefetch(t.slots + bucket_home(t, hash));
}

/* Write the successors of eight states at once; where they end, or LOOK_CLOSER. */
INLINE u64 make_eight(struct context *c, u64 number, u64 filled) {
    u64 *lane = c->columns, room = c->column_room, *columns = lane + COLUMNS_FROM;
    u64 found = c->eight_steps(state_of(c, number), columns, room, lane, 0);
    if (found == LOOK_CLOSER) return LOOK_CLOSER;
    u64 end = place_lanes(lane, filled);
    for (u64 i = 0; i < found; i++) {
        u64 tag = columns[room * words + i], of = tag >> INSTANCE_BITS, *to = entry(c->buffer, lane[LANES + of]++);
        EACH_WORD(w) to[w] = columns[room * w + i];
        to[words] = tag & INSTANCE;
        prepare(c, to, number + of);
    }
    return end;
}

/* Write the successors of so many states from this number on; where they end. */
INLINE u64 make(struct context *c, u64 number, u64 count, u64 filled) {
    if (count == LANES && c->eight_steps) {
        u64 end = make_eight(c, number, filled);
        if (end != LOOK_CLOSER) return end;
    }
    for (u64 one = number; one < number + count; one++) {
        u64 end = filled + c->step(state_of(c, one), entry(c->buffer, filled), 0);
        for (; filled < end; filled++) prepare(c, entry(c->buffer, filled), one);
    }
    return filled;
}

/* Note that the edges of a state begin here, and those of the states before it that have none. */
INLINE u64 close(struct context *c, u64 closed, u64 state) {
    while (closed < state) c->offsets[++closed] = c->edges;
    return closed;
}

/* Make every step again: from the cursor to `stop_at`, or until there may be no room for the next batch. A step that
   changes nothing is no edge. As in the search, the successors of a batch are made first, then the slots of the table
   are asked for, then the records, and only then they are looked up. */
void edges(context c) {
    u64 closed = c->cursor, group = c->eight_steps ? LANES : 1, limit = c->buffer_entries - c->out_degree * group;
    while (c->cursor < c->stop_at && c->edges + c->buffer_entries <= c->room) {
        u64 filled = 0;
        while (c->cursor < c->stop_at && filled <= limit) {
            u64 count = least(group, c->stop_at - c->cursor);
            filled = make(c, c->cursor, count, filled);
            c->cursor += count;
        }
        for (u64 i = 0; i < filled; i++) {
            u64 hash = entry(c->buffer, i)[words + 1];
            struct table t = table_of(c, hash);
            struct seen s = see(t.slots + bucket_home(t, hash), hash, 0);
            u64 *likely = known_by(c, *s.slot).record;
            prefetch(s.like ? (void *)likely : c);
        }
        for (u64 i = 0; i < filled; i++) {
            u64 *at = entry(c->buffer, i), origin = at[words + 2], target = number_of(c, at, at[words + 1]);
            closed = close(c, closed, origin);
            c->missing += target == OUTSIDE;
            if (target == origin) continue;
            c->targets[c->edges] = target;
            c->labels[c->edges] = at[words];
            c->edges++;
        }
        closed = close(c, closed, c->cursor);
    }
}

/* The 32-bit number of each of n states; OUTSIDE for one that is none. */
void numbers(context c, u64 *states, u64 n, u32 *found) {
    for (u64 i = 0; i < n; i++) found[i] = number_of(c, states + i * words, hash_of(states + i * words));
}

/* -- passes ------------------------------------------------------------------------------------------------------- */

/* The bits of the steps from a state. */
INLINE u64 taken_from(struct context *c, u64 number) {
    u64 total = 0;
    EACH_EDGE(c, edge, number) total |= c->by[c->labels[edge]];
    return total;
}

INLINE u64 stopped_in(struct context *c, u64 number) { return c->stopped(state_of(c, number), c->by); }

/* The bits, as `by` has them, of what can be taken in a state, or would be if no bound stopped it. */
u64 possible(context c, u64 number) {
    u64 stopped = stopped_in(c, number);
    return taken_from(c, number) | stopped;
}

INLINE int is_initial(struct context *c, u64 number) { return state_of(c, number)[words] >> INSTANCE_BITS == INITIAL; }

/* The bits of the promises whose premise holds in a state of the stretch, and is asked of it. */
INLINE u64 premises_in(struct context *c, u64 number) {
    u64 asked = is_initial(c, number) ? ~0ull : ~c->once;
    return c->premises(state_of(c, number)) & asked;
}

INLINE void count_bits(struct context *c, u64 bits) { EACH_BIT(bit, bits) c->counts[bit]++; }

/* Where premises hold and goals do not, and which conditions cannot be evaluated. */
void marks(context c) {
    EACH_STATE(c, state) {
        c->without[state] = ~c->goals(state_of(c, state));
        c->waiting[state] = premises_in(c, state) & c->without[state];
        c->failed |= c->failing(state_of(c, state));
    }
}

/* One sweep: whoever a waiting state leads to waits too, until its goal holds. Counts what is new and is not ahead. */
void spread(context c) {
    EACH_STATE(c, state) {
        u64 waiting = c->waiting[state];
        if (!waiting) continue;
        EACH_EDGE(c, edge, state) {
            u64 target = c->targets[edge];
            if (target == OUTSIDE) continue;
            u64 there = c->waiting[target], fresh = waiting & c->without[target] & ~there;
            if (!fresh) continue;
            c->waiting[target] = there | fresh;
            c->found += !(target > state && target < c->end);
        }
    }
}

/* Of which promises some state waits where no step that they take to be fair is possible; `counts` says for each in how
   many a bound alone stops one. */
void stay(context c) {
    EACH_STATE(c, state) {
        u64 waiting = c->waiting[state];
        if (!waiting) continue;
        u64 staying = waiting & ~taken_from(c, state);
        if (!staying) continue;
        u64 stopped = stopped_in(c, state) & staying;
        c->found |= staying ^ stopped;
        count_bits(c, stopped);
    }
}

/* In how many states each promise waits; and `found` are those that wait in some state of a cycle. */
void tally(context c) {
    EACH_STATE(c, state) {
        if (c->components && c->component[state]) c->found |= c->waiting[state];
        count_bits(c, c->waiting[state]);
    }
}

/* Mark the states where one promise waits and no fair step is possible. */
void doom_staying(context c) {
    EACH_STATE(c, state)
        if (c->waiting[state] & c->bit && !(possible(c, state) & c->bit)) c->doomed[state] |= STAYS;
}

/* Initial states cost nothing, all others are far away. */
void first_levels(context c) {
    EACH_STATE(c, state) c->cost[state] = is_initial(c, state) ? 0 : FAR;
}

/* What a state costs where the premise of the promise holds without its goal: the steps of a shortest run to it. */
void begin(context c) {
    EACH_STATE(c, state) {
        c->cost[state] = FAR;
        if (c->without[state] & c->bit && premises_in(c, state) & c->bit) c->cost[state] = c->levels[state];
    }
}

/* One sweep: a state costs at most one step more than one that leads to it. Counts what is new. */
INLINE void relax_in(struct context *c, int waiting) {
    EACH_STATE(c, state) {
        u64 cost = c->cost[state];
        if (cost == FAR) continue;
        EACH_EDGE(c, edge, state) {
            u64 target = c->targets[edge];
            if (target == OUTSIDE || c->cost[target] <= cost + 1) continue;
            if (waiting && !(c->waiting[target] & c->bit)) continue;
            c->cost[target] = cost + 1;
            c->found++;
        }
    }
}

void relax(context c) { relax_in(c, 0); }
void relax_waiting(context c) { relax_in(c, 1); } /* to states only where the promise waits */

/* Keep a state if cost, kind and hash are less than those of the one that is kept. */
INLINE void keep_least(struct context *c, u64 state, u64 cost, u64 kind, u64 hash) {
    if (cost != c->best_cost ? cost > c->best_cost : kind != c->best_kind ? kind > c->best_kind : hash >= c->best_hash)
        return;
    c->best_cost = cost;
    c->best_kind = kind;
    c->best_hash = hash;
    c->best = state;
}

INLINE u64 state_hash(struct context *c, u64 state) { return hash_of(state_of(c, state)); }

/* The doomed state of least cost; of several, one where nothing more happens, and then that of the least hash. */
void nearest(context c) {
    EACH_STATE(c, state)
        if (c->doomed[state]) keep_least(c, state, c->cost[state], c->doomed[state] < STAYS, state_hash(c, state));
}

/* The state of the wanted cost that leads to the target: by the least instance, and of those by the least hash. */
void before(context c) {
    EACH_STATE(c, state) {
        if (c->cost[state] != c->wanted) continue;
        EACH_EDGE(c, edge, state)
            if (c->targets[edge] == c->target) keep_least(c, state, 0, c->labels[edge], state_hash(c, state));
    }
}

u64 count_doomed(context c) {
    u64 total = 0;
    EACH_STATE(c, state) total += c->doomed[state] != 0;
    return total;
}

/* -- components --------------------------------------------------------------------------------------------------- */
/* Sets of states that each can be reached from each other (Tarjan 1972), and whether they are fair. A component of one
   state is none here: a step that changes nothing is no step. Stack and frames have room for every state. */

INLINE int outsider(struct context *c, u64 state) { return !c->within[state] || !(c->waiting[state] & c->bit); }

struct path { u64 index, on_stack, depth; };

/* Come to a state for the first time. */
INLINE void enter(struct context *c, struct path *p, u64 state) {
    c->low[state] = ++p->index;
    c->component[state] = p->index | ON_STACK;
    c->stack[p->on_stack++] = state;
    c->frames[p->depth] = state;
    c->cursors[p->depth++] = c->offsets[state];
}

/* A state leads to one of this index. */
INLINE void lower(struct context *c, u64 state, u64 least) {
    if (least < c->component[state]) c->component[state] = least;
}

/* Go on from the state on top of the path, or leave it; the states of the stack down to it may be a component. */
INLINE void go_on(struct context *c, struct path *p, int within) {
    u64 top = p->depth - 1, state = c->frames[top], edge = c->cursors[top];
    if (edge < c->offsets[state + 1]) {
        c->cursors[top] = edge + 1;
        u64 target = c->targets[edge];
        if (target == OUTSIDE) return;
        if (within && (outsider(c, target) || c->within[target] != c->within[state])) return;
        if (!c->low[target]) enter(c, p, target);
        else if (c->component[target] >= ON_STACK) lower(c, state, c->low[target] | ON_STACK);
        return;
    }
    u64 own = c->component[state], member;
    if (own == (c->low[state] | ON_STACK)) {
        c->components++;
        do c->component[member = c->stack[--p->on_stack]] = c->components;
        while (member != state);
    }
    p->depth = top;
    if (top && c->component[state] >= ON_STACK) lower(c, c->frames[top - 1], own);
}

INLINE void components_in(struct context *c, int within) {
    struct path p = {0, 0, 0};
    EACH_STATE(c, root) {
        if (c->low[root] || (within && outsider(c, root))) continue;
        enter(c, &p, root);
        while (p.depth) go_on(c, &p, within);
    }
}

/* Number the components in `component`, from 1. `components_within` goes through the states where one promise waits and
   that have a number in `within`, and along edges between equal numbers only. */
void components(context c) { components_in(c, 0); }
void components_within(context c) { components_in(c, 1); }

/* Number the components of several states anew, and give all other states 0. `low` is used up. */
void condense(context c) {
    u64 kept = 0;
    for (u64 one = 0; one <= c->components; one++) c->low[one] = 0;
    EACH_STATE(c, state) c->low[c->component[state]]++;
    c->low[0] = 0;
    for (u64 one = 1; one <= c->components; one++) c->low[one] = c->low[one] > 1 ? ++kept : 0;
    EACH_STATE(c, state) c->component[state] = c->low[c->component[state]];
    c->components = kept;
}

/* For each component which units of a group are possible everywhere and anywhere in it, and which are taken. */
void weigh(context c) {
    EACH_STATE(c, state) {
        u64 component = c->component[state], taken = 0;
        if (!component) continue;
        EACH_EDGE(c, edge, state) {
            u64 target = c->targets[edge];
            if (target != OUTSIDE && c->component[target] == component) taken |= c->by[c->labels[edge]];
        }
        u64 could = possible(c, state);
        c->always[component] &= could;
        c->ever[component] |= could;
        c->taken[component] |= taken;
    }
}

/* What a group of units says of each component; `always` becomes the strong ones it could take and does not. */
void settle(context c) {
    for (u64 one = 1; one <= c->components; one++) {
        u64 missed = ~c->taken[one], strong = c->ever[one] & missed & c->strong;
        c->verdicts[one] |= (c->always[one] & missed & c->weak ? UNFAIR : 0) | (strong ? AGAIN : 0);
        c->always[one] = strong;
    }
}

/* Note the states that are to be left out: those where such a strong unit is possible. */
void leave(context c) {
    EACH_STATE(c, state)
        if (c->component[state] && possible(c, state) & c->always[c->component[state]]) c->left[state] = 1;
}

/* Doom the states of fair components; `within` keeps those that must be looked at again, which `found` counts. */
void mark(context c) {
    EACH_STATE(c, state) {
        u64 component = c->component[state];
        c->within[state] = 0;
        if (!component) continue;
        if (!c->verdicts[component]) c->doomed[state] |= c->wanted + component;
        if (c->verdicts[component] == AGAIN && !c->left[state]) {
            c->within[state] = component;
            c->found++;
        }
    }
}

/* -- ends --------------------------------------------------------------------------------------------------------- */

/* Find the states from which no step leads to another. `by` has a bit for every instance that a bound can stop. */
void find_ends(context c) {
    EACH_STATE(c, state) {
        u64 goes_on = 0, leaves = 0;
        EACH_EDGE(c, edge, state) {
            goes_on = c->targets[edge] != OUTSIDE;
            if (goes_on) break;
            leaves = 1;
        }
        if (!goes_on) c->ends[state] = stopped_in(c, state) | leaves ? BOUNDED : OPEN;
    }
}

/* An end is none where a run may end if something waits there. */
void note_ends(context c) {
    EACH_STATE(c, state)
        if (c->ends[state] == OPEN && c->waiting[state]) c->ends[state] = OTHER;
}

u64 count_ends(context c) {
    u64 total = 0;
    EACH_STATE(c, state) total += c->ends[state] == c->wanted;
    return total;
}

/* The end of a kind that takes the fewest steps to come to; of several, that of the least hash. */
void nearest_end(context c) {
    EACH_STATE(c, state)
        if (c->ends[state] == c->wanted) keep_least(c, state, c->levels[state], 0, state_hash(c, state));
}

/* -- parts -------------------------------------------------------------------------------------------------------- */
/* What promises take besides when the states are judged part by part. A part is judged with the states that its steps
   lead to elsewhere; those have numbers too, after its own, and no edges. */

/* For each state where the promise waits a state of one step less that leads to it: by the least instance, and of those
   by the least hash. */
void origins(context c) {
    EACH_STATE(c, state) {
        u64 cost = c->cost[state];
        if (cost == FAR) continue;
        u64 hash = state_hash(c, state);
        EACH_EDGE(c, edge, state) {
            u64 target = c->targets[edge], label = c->labels[edge];
            if (target == OUTSIDE || c->cost[target] != cost + 1 || !(c->waiting[target] & c->bit)) continue;
            u64 known = c->origin_label[target];
            if (label != known ? label > known : hash >= c->origin_hash[target]) continue;
            c->origin_label[target] = label;
            c->origin_hash[target] = hash;
            c->origin[target] = state;
        }
    }
}

/* The state of the least level where a promise cannot be evaluated; of several, that of the least hash. */
void first_failing(context c) {
    EACH_STATE(c, state)
        if (c->failing(state_of(c, state))) keep_least(c, state, c->levels[state], 0, state_hash(c, state));
}
