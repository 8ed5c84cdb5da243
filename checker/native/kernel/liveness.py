"""The kernels that judge promises, as one module for a size of states."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..llvm.instructions import Bit, Label, Pointer, Variable, Word, word
from ..llvm.lanes import LANES
from ..program.eight import LOOK_CLOSER
from ..program.program import INSTANCE_BITS
from .kernel import DECLARATIONS
from .lookup import Lookup, Table, Visited, find_or_insert
from .successors import Columns
from .vocabulary import INITIAL, SLOT_INDEX, KernelText

# -- promise vocabulary -----------------------------------------------------------------------------------------------
# Short words for the kernels that judge promises: their context, the edges between states, bits of promises.
#
# States have numbers: those of the first worker come first, each worker's in the order of its records. What must read a
# state itself is called for a stretch of one worker's records; what needs only edges, for all states at once.

LIVENESS_CONTEXT = (
    *("records", "base", "first", "end", "states"),
    *("table", "slots", "workers", "parts", "index_bits", "record_bases", "number_bases"),
    *("step", "buffer", "buffer_entries", "out_degree", "cursor", "stop_at"),
    *("eight_steps", "columns", "column_room"),
    *("offsets", "targets", "labels", "edges", "room", "missing"),
    *("premises", "goals", "failing", "once", "stopped", "by"),
    *("waiting", "without", "failed", "found", "counts"),
    *("bit", "component", "within", "low", "stack", "frames", "cursors"),
    *("always", "taken", "ever", "verdicts", "weak", "strong", "left", "doomed", "components"),
    *("ends", "cost", "levels", "wanted", "target", "best_cost", "best_kind", "best_hash", "best"),
    *("origin", "origin_label", "origin_hash"),
)
"""The slots of the context, one 64-bit word each.

`records` are those of the stretch, whose first state has the number `base`; `first` and `end` are the states to go
through, `states` how many there are. `offsets` has for each state where its edges begin: `targets` are 32 bits, and
`labels` the 16 bits of an instance. `by` has for each instance the bits that a step of it, or that a bound stops it,
stands for: promises that assume its fairness, or units of fairness. `bit` is that of one promise; `once` are the bits
of those whose premise is asked of initial states alone.
"""

OUTSIDE = (1 << 32) - 1
"""The target of an edge that leaves the constraint."""

FAR = (1 << 32) - 1
"""The cost of a state that is not to be come to."""

STAYS = 1 << 31
"""The bit of a doomed state where no fair step is possible; the others are the number of its component."""

UNFAIR, AGAIN = 1, 2
"""Verdicts on a component: no fair run stays in it; part of it must be left out, and the rest be looked at again."""


class LivenessText(KernelText):
    """A function that judges promises."""

    context = LIVENESS_CONTEXT

    def narrow(self, array: str, index: Word) -> Word:
        """An element of an array of 32-bit numbers."""
        return self.load_widened(self.at(array, index, "i32"), "i32")

    def put_narrow(self, array: str, index: Word, value: Word | int) -> None:
        """Set an element of an array of 32-bit numbers."""
        self.store_narrowed(value, self.at(array, index, "i32"), "i32")

    def wide(self, array: str, index: Word) -> Word:
        """An element of an array of 64-bit numbers."""
        return self.load64(self.at(array, index))

    def put_wide(self, array: str, index: Word, value: Word | int) -> None:
        """Set an element of an array of 64-bit numbers."""
        self.store64(value, self.at(array, index))

    def state_of(self, number: Word) -> Pointer:
        """The address of a state of the stretch."""
        return self.record(self.sub(number, self.number("base")))

    @contextmanager
    def every_state(self) -> Iterator[Word]:
        """What follows runs for every state from `first` on and below `end`."""
        with self.each(self.number("first"), self.number("end")) as number:
            yield number

    @contextmanager
    def edges_of(self, state: Word) -> Iterator[tuple[Word, Word]]:
        """What follows runs for every edge of a state, with its number and its target."""
        begin = self.wide("offsets", state)
        with self.each(begin, self.wide("offsets", self.add(state, 1))) as edge:
            yield edge, self.narrow("targets", edge)

    def label_of(self, edge: Word) -> Word:
        """The instance of an edge."""
        return self.load_widened(self.at("labels", edge, "i16"), "i16")

    def has(self, array: str, state: Word) -> Bit:
        """Whether a word of bits has the one of the promise that is looked at."""
        return self.ne(self.and_(self.wide(array, state), self.number("bit")), 0)

    def set_bits(self, name: str, bits: Word) -> None:
        """Add bits to a number of the context."""
        self.set_number(name, self.or_(self.number(name), bits))

    def possible(self, number: Word) -> Word:
        """The bits, as `by` has them, of what is possible in a state of the stretch: steps, and what a bound stops."""
        return self.call64("possible", Pointer("%context"), number)


@dataclass(frozen=True)
class Numbered(Lookup[Word]):
    """What the search has visited; of a record its dense number is known."""

    k: LivenessText
    shared: bool

    def table(self, hash: Word) -> Table:
        return Visited(self.k, self.shared).table(hash)

    def load(self, place: Pointer) -> Word:
        return self.k.load64(place)

    def known(self, slot: Word) -> tuple[Pointer, Word]:
        k = self.k
        index = k.and_(k.sub(slot, 1), SLOT_INDEX)
        if not self.shared:
            return k.record(index), index
        bits = k.number("index_bits")
        worker = k.lshr(index, bits)
        local = k.sub(index, k.shl(worker, bits))
        return k.record_of(worker, local), k.add(k.wide("number_bases", worker), local)


# -- promise components -----------------------------------------------------------------------------------------------
# Components: sets of states that each can be reached from each other (Tarjan 1972), and whether they are fair.
#
# A component of one state is none here: a step that changes nothing is no step. Stack and frames have room for every
# state, and take memory where they have been used only.

ON_STACK = 1 << 31
"""The bit of a state that is still on the stack; the others are the least index that it leads to."""


def component_texts(words: int) -> list[str]:
    """The functions of this file."""
    makers = (_weigh, _settle, _leave, _mark)
    return [*(_components(words, within) for within in (False, True)), _condense(words), *(m(words) for m in makers)]


def _components(words: int, within: bool) -> str:
    """`components(context)`: number the components in `component`, from 1.

    `components_within` goes through the states where one promise waits and that have a number in `within`, and along
    edges between equal numbers only.
    """
    k = LivenessText(f"void @components{'_within' if within else ''}(ptr noalias %context)", words)
    index, on_stack, depth = (k.variable(Word, 0) for _ in range(3))
    with k.every_state() as root:
        after = k.label("after_root")
        k.jump_if(k.ne(k.narrow("low", root), 0), after)
        if within:
            _skip_outsider(k, root, after)
        depth.set(0)
        _enter(k, index, on_stack, depth, root)
        with k.loop() as (again, finished):
            top = k.sub(depth.get(), 1)
            state, edge = k.narrow("frames", top), k.wide("cursors", top)
            end = k.wide("offsets", k.add(state, 1))
            with k.where(k.ult(edge, end)):
                k.put_wide("cursors", top, k.add(edge, 1))
                target = k.narrow("targets", edge)
                k.jump_if(k.eq(target, OUTSIDE), again)
                if within:
                    _skip_outsider(k, target, again)
                    k.jump_if(k.ne(k.narrow("within", target), k.narrow("within", state)), again)
                seen = k.narrow("low", target)
                with k.where(k.eq(seen, 0)):
                    _enter(k, index, on_stack, depth, target)
                    k.jump(again)
                with k.where(k.uge(k.narrow("component", target), ON_STACK)):
                    _lower(k, state, k.or_(seen, ON_STACK))
                k.jump(again)
            own = k.narrow("component", state)
            with k.where(k.eq(own, k.or_(k.narrow("low", state), ON_STACK))):
                _pop(k, on_stack, state)
            depth.set(top)
            k.jump_if(k.eq(top, 0), finished)
            with k.where(k.uge(k.narrow("component", state), ON_STACK)):
                _lower(k, k.narrow("frames", k.sub(top, 1)), own)
        k.branch(after)
        k.block(after)
    k.ret()
    return k.text()


def _skip_outsider(k: LivenessText, state: Word, to: Label) -> None:
    """Go on elsewhere if a state is not looked at."""
    k.jump_if(_no_member(k, state), to)


def _no_member(k: LivenessText, state: Word) -> Bit:
    return k.either(k.eq(k.narrow("within", state), 0), k.not_(k.has("waiting", state)))


def _enter(
    k: LivenessText, index: Variable[Word], on_stack: Variable[Word], depth: Variable[Word], state: Word
) -> None:
    """Come to a state for the first time."""
    index.set(k.add(index.get(), 1))
    k.put_narrow("low", state, index.get())
    k.put_narrow("component", state, k.or_(index.get(), ON_STACK))
    k.put_narrow("stack", on_stack.get(), state)
    on_stack.set(k.add(on_stack.get(), 1))
    k.put_narrow("frames", depth.get(), state)
    k.put_wide("cursors", depth.get(), k.wide("offsets", state))
    depth.set(k.add(depth.get(), 1))


def _lower(k: LivenessText, state: Word, least: Word) -> None:
    """A state leads to one of this index."""
    with k.where(k.ult(least, k.narrow("component", state))):
        k.put_narrow("component", state, least)


def _pop(k: LivenessText, on_stack: Variable[Word], first: Word) -> None:
    """The states of the stack down to this one are a component."""
    k.bump("components", 1)
    with k.loop() as (_, done):
        top = k.sub(on_stack.get(), 1)
        on_stack.set(top)
        state = k.narrow("stack", top)
        k.put_narrow("component", state, k.number("components"))
        k.jump_if(k.eq(state, first), done)


def _condense(words: int) -> str:
    """Number the components of several states anew, and give all other states 0. `low` is used up."""
    k = LivenessText("void @condense(ptr noalias %context)", words)
    kept = k.variable(Word, 0)
    with k.each(0, k.add(k.number("components"), 1)) as one:
        k.put_narrow("low", one, 0)
    with k.every_state() as number:
        of = k.narrow("component", number)
        k.put_narrow("low", of, k.add(k.narrow("low", of), 1))
    k.put_narrow("low", Word("0"), 0)
    with k.each(1, k.add(k.number("components"), 1)) as one:
        size = k.narrow("low", one)
        k.put_narrow("low", one, 0)
        with k.where(k.ugt(size, 1)):
            kept.set(k.add(kept.get(), 1))
            k.put_narrow("low", one, kept.get())
    with k.every_state() as number:
        k.put_narrow("component", number, k.narrow("low", k.narrow("component", number)))
    k.set_number("components", kept.get())
    k.ret()
    return k.text()


def _weigh(words: int) -> str:
    """For each component which units of a group are possible everywhere and anywhere in it, and which are taken."""
    k = LivenessText("void @weigh(ptr noalias %context)", words)
    taken = k.variable(Word, 0)
    with k.every_state() as number:
        component = k.narrow("component", number)
        with k.where(k.ne(component, 0)):
            taken.set(0)
            with k.edges_of(number) as (edge, target):
                inside = k.narrow("component", k.select(k.eq(target, OUTSIDE), number, target))
                by = k.wide("by", k.label_of(edge))
                home = k.both(k.ne(target, OUTSIDE), k.eq(inside, component))
                taken.set(k.or_(taken.get(), k.select(home, by, 0)))
            possible = k.possible(number)
            k.put_wide("always", component, k.and_(k.wide("always", component), possible))
            k.put_wide("ever", component, k.or_(k.wide("ever", component), possible))
            k.put_wide("taken", component, k.or_(k.wide("taken", component), taken.get()))
    k.ret()
    return k.text()


def _settle(words: int) -> str:
    """What a group of units says of each component; `always` becomes the strong ones it could take and does not."""
    k = LivenessText("void @settle(ptr noalias %context)", words)
    with k.each(1, k.add(k.number("components"), 1)) as one:
        missed = k.xor(k.wide("taken", one), -1)
        weak = k.and_(k.and_(k.wide("always", one), missed), k.number("weak"))
        strong = k.and_(k.and_(k.wide("ever", one), missed), k.number("strong"))
        unfair = k.select(k.ne(weak, 0), UNFAIR, 0)
        again = k.select(k.ne(strong, 0), AGAIN, 0)
        k.put_wide("verdicts", one, k.or_(k.wide("verdicts", one), k.or_(unfair, again)))
        k.put_wide("always", one, strong)
    k.ret()
    return k.text()


def _leave(words: int) -> str:
    """Note the states that are to be left out: those where such a strong unit is possible."""
    k = LivenessText("void @leave(ptr noalias %context)", words)
    with k.every_state() as number:
        component = k.narrow("component", number)
        with k.where(k.ne(component, 0)):
            could = k.and_(k.possible(number), k.wide("always", component))
            with k.where(k.ne(could, 0)):
                k.put_narrow("left", number, 1)
    k.ret()
    return k.text()


def _mark(words: int) -> str:
    """Doom the states of fair components; `within` keeps those that must be looked at again, which `found` counts."""
    k = LivenessText("void @mark(ptr noalias %context)", words)
    with k.every_state() as number:
        component = k.narrow("component", number)
        k.put_narrow("within", number, 0)
        with k.where(k.ne(component, 0)):
            verdict = k.wide("verdicts", component)
            with k.where(k.eq(verdict, 0)):
                name = k.add(k.number("wanted"), component)
                k.put_narrow("doomed", number, k.or_(k.narrow("doomed", number), name))
            with k.where(k.eq(verdict, AGAIN)), k.where(k.eq(k.narrow("left", number), 0)):
                k.put_narrow("within", number, component)
                k.bump("found", 1)
    k.ret()
    return k.text()


# -- promise edges ----------------------------------------------------------------------------------------------------
# Making every step again: the edges between the states that a search has found.
#
# A step that changes nothing is no edge. As in the search, the successors of a batch of states are made first, then the
# slots of the table are asked for, then the records, and only then they are looked up. Where the search has code for
# the steps of eight states, it is used again.

INSTANCE = (1 << INSTANCE_BITS) - 1


def edges_text(words: int, shared: bool) -> str:
    """`edges(context)`: from the cursor to `stop_at`, or until there may be no room for the next batch."""
    k = LivenessText("void @edges(ptr noalias %context)", words)
    lookup = Numbered(k, shared)
    buffer, eight = k.pointer("buffer"), k.ne(k.number("eight_steps"), 0)
    filled, position = k.variable(Word, 0), k.variable(Word, 0)
    closed = k.variable(Word, k.number("cursor"))
    group = k.select(eight, word(LANES), word(1))
    limit = k.sub(k.number("buffer_entries"), k.mul(k.number("out_degree"), group))
    with k.loop() as (_, done):
        k.jump_if(k.uge(k.number("cursor"), k.number("stop_at")), done)
        needed = k.add(k.number("edges"), k.number("buffer_entries"))
        k.jump_if(k.ugt(needed, k.number("room")), done)
        filled.set(0)
        with k.loop() as (_, full):
            number = k.number("cursor")
            k.jump_if(k.uge(number, k.number("stop_at")), full)
            k.jump_if(k.ugt(filled.get(), limit), full)
            count = k.umin(group, k.sub(k.number("stop_at"), number))
            _make(k, lookup, number, count, filled)
            k.set_number("cursor", k.add(number, count))
        with k.each(0, filled.get()) as i:
            lookup.prefetch_record(k.field(k.entry(buffer, i), words + 1))
        with k.each(0, filled.get()) as i:
            entry = k.entry(buffer, i)
            origin = k.field(entry, words + 2)
            _close(k, closed, origin)
            _keep(k, lookup, i, origin, position)
        _close(k, closed, k.number("cursor"))
    k.ret()
    return k.text()


def _make(k: LivenessText, lookup: Numbered, number: Word, count: Word, filled: Variable[Word]) -> None:
    """Write the successors of so many states from this number on: of eight at once, if they are that many."""
    buffer, made, alone = k.pointer("buffer"), k.label("made"), k.label("alone")
    k.jump_if(k.not_(k.both(k.eq(count, LANES), k.ne(k.number("eight_steps"), 0))), alone)
    columns = Columns.taken(k, k.state_of(number), word(0))
    k.jump_if(k.eq(columns.found, LOOK_CLOSER), alone)
    end = columns.place(filled.get())
    with columns.each() as (state, tag, lane, place):
        entry = k.entry(buffer, place)
        for w, operand in enumerate([*state, k.and_(tag, INSTANCE)]):
            k.put(entry, w, operand)
        _prepare(k, lookup, entry, k.add(number, lane))
    filled.set(end)
    k.jump(made)
    k.unreachable()
    k.block(alone)
    with k.each(number, k.add(number, count)) as one:
        n = filled.get()
        next = k.add(n, k.call64(k.pointer("step"), k.state_of(one), k.entry(buffer, n), word(0)))
        with k.each(n, next) as i:
            _prepare(k, lookup, k.entry(buffer, i), one)
        filled.set(next)
    k.branch(made)
    k.block(made)


def _prepare(k: LivenessText, lookup: Numbered, entry: Pointer, origin: Word) -> None:
    """Write what an entry has beside its state and instance, and ask for its slot."""
    hash = k.state_hash(entry)
    k.put(entry, k.words + 1, hash)
    k.put(entry, k.words + 2, origin)
    lookup.prefetch_slot(hash)


def _close(k: LivenessText, closed: Variable[Word], state: Word) -> None:
    """Note that the edges of a state begin here, and those of the states before it that have none."""
    with k.loop() as (_, done):
        k.jump_if(k.uge(closed.get(), state), done)
        closed.set(k.add(closed.get(), 1))
        k.put_wide("offsets", closed.get(), k.number("edges"))


def _keep(k: LivenessText, lookup: Numbered, i: Word, origin: Word, position: Variable[Word]) -> None:
    """Keep a step as an edge, unless it changes nothing."""
    entry = k.entry(k.pointer("buffer"), i)
    target, looked_up, next = k.variable(Word, OUTSIDE), k.label("looked_up"), k.label("kept")
    target.set(OUTSIDE)
    with find_or_insert(lookup, k.state_at(entry), k.field(entry, k.words + 1), position) as match:
        target.set(match.fact)
        k.jump(looked_up)
    k.bump("missing", 1)
    k.branch(looked_up)
    k.block(looked_up)
    k.jump_if(k.eq(target.get(), origin), next)
    edge = k.number("edges")
    k.put_narrow("targets", edge, target.get())
    k.store_narrowed(k.and_(k.field(entry, k.words), INSTANCE), k.at("labels", edge, "i16"), "i16")
    k.set_number("edges", k.add(edge, 1))
    k.branch(next)
    k.block(next)


# -- promise passes ---------------------------------------------------------------------------------------------------
# Passes over all states that judge many promises at once: a bit of a word each, up to 64.
#
# `marks` asks where premises and goals hold, `spread` who waits, `stay` who may wait for ever because no fair step is
# possible. The others are about one promise that is broken: how far its doomed states are, and which comes first.


def pass_texts(words: int) -> list[str]:
    """The functions of this file."""
    makers = (
        _possible,
        _marks,
        _spread,
        _stay,
        _tally,
        _doom_staying,
        _first_levels,
        _begin,
        _nearest_doomed,
        _before,
        _count_doomed,
    )
    return [*(maker(words) for maker in makers), *(_relax(words, waiting) for waiting in (False, True))]


def _possible(words: int) -> str:
    """`possible(context, number)`: the bits of what can be taken in a state, or would be if no bound stopped it."""
    k = LivenessText("i64 @possible(ptr noalias %context, i64 %number)", words)
    number = Word("%number")
    stopped = k.call64(k.pointer("stopped"), k.state_of(number), k.pointer("by"))
    k.ret(k.or_(_taken(k, number), stopped))
    return k.text()


def _taken(k: LivenessText, number: Word) -> Word:
    """The bits of the steps from a state."""
    total = k.variable(Word, 0)
    total.set(0)
    with k.edges_of(number) as (edge, _):
        total.set(k.or_(total.get(), k.wide("by", k.label_of(edge))))
    return total.get()


def _premises(k: LivenessText, number: Word) -> Word:
    """The bits of the promises whose premise holds in a state of the stretch, and is asked of it."""
    asked = k.select(_is_initial(k, number), word(-1), k.xor(k.number("once"), -1))
    return k.and_(k.call64(k.pointer("premises"), k.state_of(number)), asked)


def _is_initial(k: LivenessText, number: Word) -> Bit:
    """Whether a run may begin with a state of the stretch."""
    return k.eq(k.lshr(k.field(k.state_of(number), k.words), INSTANCE_BITS), INITIAL)


def _marks(words: int) -> str:
    """Where premises hold and goals do not, and which conditions cannot be evaluated."""
    k = LivenessText("void @marks(ptr noalias %context)", words)
    with k.every_state() as number:
        state = k.state_of(number)
        without = k.xor(k.call64(k.pointer("goals"), state), -1)
        k.put_wide("without", number, without)
        k.put_wide("waiting", number, k.and_(_premises(k, number), without))
        k.set_bits("failed", k.call64(k.pointer("failing"), state))
    k.ret()
    return k.text()


def _spread(words: int) -> str:
    """One sweep: whoever a waiting state leads to waits too, until its goal holds. Counts what is new
    and does not lie ahead."""
    k = LivenessText("void @spread(ptr noalias %context)", words)
    with k.every_state() as number:
        waiting = k.wide("waiting", number)
        with k.where(k.ne(waiting, 0)), k.edges_of(number) as (_, target), k.where(k.ne(target, OUTSIDE)):
            there = k.wide("waiting", target)
            fresh = k.and_(k.and_(waiting, k.wide("without", target)), k.xor(there, -1))
            with k.where(k.ne(fresh, 0)):
                k.put_wide("waiting", target, k.or_(there, fresh))
                ahead = k.both(k.ugt(target, number), k.ult(target, k.number("end")))
                k.bump("found", k.as_word(k.not_(ahead)))
    k.ret()
    return k.text()


def _stay(words: int) -> str:
    """Of which promises some state waits where no step that they take to be fair is possible; `counts` says for each in
    how many a bound alone stops one."""
    k = LivenessText("void @stay(ptr noalias %context)", words)
    with k.every_state() as number:
        waiting, done = k.wide("waiting", number), k.label("looked_at")
        k.jump_if(k.eq(waiting, 0), done)
        staying = k.and_(waiting, k.xor(_taken(k, number), -1))
        with k.where(k.ne(staying, 0)):
            stopped = k.and_(k.call64(k.pointer("stopped"), k.state_of(number), k.pointer("by")), staying)
            k.set_bits("found", k.xor(staying, stopped))
            _count_bits(k, stopped)
        k.branch(done)
        k.block(done)
    k.ret()
    return k.text()


def _count_bits(k: LivenessText, bits: Word) -> None:
    """Add one to the count of each promise whose bit is set."""
    left = k.variable(Word, 0)
    left.set(bits)
    with k.loop() as (_, done):
        rest = left.get()
        k.jump_if(k.eq(rest, 0), done)
        k.bump_at("counts", k.lowest_bit(rest))
        left.set(k.and_(rest, k.sub(rest, 1)))


def _tally(words: int) -> str:
    """In how many states each promise waits; and `found` are those that wait in some state of a cycle."""
    k = LivenessText("void @tally(ptr noalias %context)", words)
    with k.every_state() as number:
        waiting = k.wide("waiting", number)
        with k.where(k.ne(k.number("components"), 0)), k.where(k.ne(k.narrow("component", number), 0)):
            k.set_bits("found", waiting)
        _count_bits(k, waiting)
    k.ret()
    return k.text()


def _doom_staying(words: int) -> str:
    """Mark the states where one promise waits and no fair step is possible."""
    k = LivenessText("void @doom_staying(ptr noalias %context)", words)
    with k.every_state() as number, k.where(k.has("waiting", number)):
        possible = k.and_(k.possible(number), k.number("bit"))
        with k.where(k.eq(possible, 0)):
            k.put_narrow("doomed", number, k.or_(k.narrow("doomed", number), STAYS))
    k.ret()
    return k.text()


def _begin(words: int) -> str:
    """What a state costs where the premise of the promise holds without its goal: the steps of a shortest run to it."""
    k = LivenessText("void @begin(ptr noalias %context)", words)
    with k.every_state() as number:
        k.put_narrow("cost", number, FAR)
        with k.where(k.has("without", number)):
            premise = k.and_(_premises(k, number), k.number("bit"))
            with k.where(k.ne(premise, 0)):
                k.put_narrow("cost", number, k.narrow("levels", number))
    k.ret()
    return k.text()


def _first_levels(words: int) -> str:
    """Initial states cost nothing, all others are far away."""
    k = LivenessText("void @first_levels(ptr noalias %context)", words)
    with k.every_state() as number:
        k.put_narrow("cost", number, k.select(_is_initial(k, number), 0, FAR))
    k.ret()
    return k.text()


def _relax(words: int, waiting: bool) -> str:
    """One sweep: a state costs at most one step more than one that leads to it. Counts what is new.

    `relax_waiting` goes to states only where the promise waits.
    """
    k = LivenessText(f"void @relax{'_waiting' if waiting else ''}(ptr noalias %context)", words)
    with k.every_state() as number:
        cost, after = k.narrow("cost", number), k.label("relaxed")
        k.jump_if(k.eq(cost, FAR), after)
        more = k.add(cost, 1)
        with k.edges_of(number) as (_, target), k.where(k.ne(target, OUTSIDE)):
            cheaper = k.ugt(k.narrow("cost", target), more)
            with k.where(k.both(cheaper, k.has("waiting", target)) if waiting else cheaper):
                k.put_narrow("cost", target, more)
                k.bump("found", 1)
        k.branch(after)
        k.block(after)
    k.ret()
    return k.text()


def _nearest_doomed(words: int) -> str:
    """The doomed state of least cost; of several, one where nothing more happens, and then that of the least hash."""
    k = LivenessText("void @nearest(ptr noalias %context)", words)
    with k.every_state() as number, k.where(k.ne(k.narrow("doomed", number), 0)):
        cost = k.narrow("cost", number)
        kind = k.as_word(k.ult(k.narrow("doomed", number), STAYS))
        hash = k.state_hash(k.state_of(number))
        keep_least(k, number, cost, kind, hash)
    k.ret()
    return k.text()


def _before(words: int) -> str:
    """The state of the wanted cost that leads to the target: by the least instance, and of those by the least hash."""
    k = LivenessText("void @before(ptr noalias %context)", words)
    with k.every_state() as number:
        other = k.label("another_cost")
        k.jump_if(k.ne(k.narrow("cost", number), k.number("wanted")), other)
        with k.edges_of(number) as (edge, target), k.where(k.eq(target, k.number("target"))):
            hash = k.state_hash(k.state_of(number))
            keep_least(k, number, word(0), k.label_of(edge), hash)
        k.branch(other)
        k.block(other)
    k.ret()
    return k.text()


def keep_least(k: LivenessText, number: Word, cost: Word, kind: Word, hash: Word) -> None:
    """Keep a state if cost, kind and hash are less than those of the one that is kept."""
    best_cost, best_kind, best_hash = (k.number(f"best_{name}") for name in ("cost", "kind", "hash"))
    by_hash = k.both(k.eq(kind, best_kind), k.ult(hash, best_hash))
    by_kind = k.either(k.ult(kind, best_kind), by_hash)
    less = k.either(k.ult(cost, best_cost), k.both(k.eq(cost, best_cost), by_kind))
    with k.where(less):
        for name, value in (("best_cost", cost), ("best_kind", kind), ("best_hash", hash), ("best", number)):
            k.set_number(name, value)


def _count_doomed(words: int) -> str:
    """How many states are doomed."""
    k = LivenessText("i64 @count_doomed(ptr noalias %context)", words)
    total = k.variable(Word, 0)
    with k.every_state() as number, k.where(k.ne(k.narrow("doomed", number), 0)):
        total.set(k.add(total.get(), 1))
    k.ret(total.get())
    return k.text()


# -- promise ends -----------------------------------------------------------------------------------------------------
# Which states have no step that changes something, and why: kernels over the edges of a search.

OPEN, BOUNDED, OTHER = 1, 2, 3
"""Kinds of ends: nothing is wrong with it so far; a bound makes it; it is where no run may end."""


def end_texts(words: int) -> list[str]:
    """The functions of this file."""
    return [maker(words) for maker in (_find, _note, _count_ends, _nearest_end)]


def _find(words: int) -> str:
    """Find the states from which no step leads to another. `by` has a bit for every instance that a bound can stop."""
    k = LivenessText("void @find_ends(ptr noalias %context)", words)
    leaves: Variable[Word] = k.variable(Word, 0)
    with k.every_state() as number:
        goes_on = k.label("goes_on")
        leaves.set(0)
        with k.edges_of(number) as (_, target):
            k.jump_if(k.ne(target, OUTSIDE), goes_on)
            leaves.set(1)
        stopped = k.call64(k.pointer("stopped"), k.state_of(number), k.pointer("by"))
        bounded = k.ne(k.or_(stopped, leaves.get()), 0)
        k.put_narrow("ends", number, k.select(bounded, BOUNDED, OPEN))
        k.branch(goes_on)
        k.block(goes_on)
    k.ret()
    return k.text()


def _note(words: int) -> str:
    """An end is none where a run may end if something waits there."""
    k = LivenessText("void @note_ends(ptr noalias %context)", words)
    with k.every_state() as number:
        waits = k.ne(k.wide("waiting", number), 0)
        with k.where(k.both(k.eq(k.narrow("ends", number), OPEN), waits)):
            k.put_narrow("ends", number, OTHER)
    k.ret()
    return k.text()


def _count_ends(words: int) -> str:
    """How many ends there are of a kind."""
    k = LivenessText("i64 @count_ends(ptr noalias %context)", words)
    total = k.variable(Word, 0)
    with k.every_state() as number, k.where(k.eq(k.narrow("ends", number), k.number("wanted"))):
        total.set(k.add(total.get(), 1))
    k.ret(total.get())
    return k.text()


def _nearest_end(words: int) -> str:
    """The end of a kind that takes the fewest steps to come to; of several, that of the least hash."""
    k = LivenessText("void @nearest_end(ptr noalias %context)", words)
    with k.every_state() as number, k.where(k.eq(k.narrow("ends", number), k.number("wanted"))):
        keep_least(k, number, k.narrow("levels", number), word(0), k.state_hash(k.state_of(number)))
    k.ret()
    return k.text()


# -- promise parts ----------------------------------------------------------------------------------------------------
# What promises take besides when the states are judged part by part: which state is which, and whence it was reached.
#
# A part is judged with the states that its steps lead to elsewhere. Those have numbers too, after its own, and no
# edges.


def part_texts(words: int, shared: bool) -> list[str]:
    """The functions of this file."""
    return [_numbers(words, shared), _origins(words), _first_failing(words)]


def _numbers(words: int, shared: bool) -> str:
    """`numbers(context, states, n, found)`: the 32-bit number of each of n states; OUTSIDE for one that is none."""
    k = LivenessText("void @numbers(ptr noalias %context, ptr %states, i64 %n, ptr %found)", words)
    lookup = Numbered(k, shared)
    position = k.variable(Word, 0)
    with k.each(0, Word("%n")) as i:
        state, place = k.element(Pointer("%states"), k.mul(i, words)), k.element(Pointer("%found"), i, "i32")
        done = k.label("numbered")
        k.store_narrowed(OUTSIDE, place, "i32")
        with find_or_insert(lookup, k.state_at(state), k.state_hash(state), position) as match:
            k.store_narrowed(match.fact, place, "i32")
            k.jump(done)
        k.branch(done)
        k.block(done)
    k.ret()
    return k.text()


def _origins(words: int) -> str:
    """For each state where the promise waits a state of one step less that leads to it: by the least instance, and of
    those by the least hash."""
    k = LivenessText("void @origins(ptr noalias %context)", words)
    with k.every_state() as number:
        cost, after = k.narrow("cost", number), k.label("led_on")
        k.jump_if(k.eq(cost, FAR), after)
        more, hash = k.add(cost, 1), k.state_hash(k.state_of(number))
        with (
            k.edges_of(number) as (edge, target),
            k.where(k.ne(target, OUTSIDE)),
            k.where(k.both(k.eq(k.narrow("cost", target), more), k.has("waiting", target))),
        ):
            _keep_origin(k, target, k.label_of(edge), hash, number)
        k.branch(after)
        k.block(after)
    k.ret()
    return k.text()


def _keep_origin(k: LivenessText, target: Word, label: Word, hash: Word, number: Word) -> None:
    known, kept = k.narrow("origin_label", target), k.wide("origin_hash", target)
    less = k.either(k.ult(label, known), k.both(k.eq(label, known), k.ult(hash, kept)))
    with k.where(less):
        k.put_narrow("origin_label", target, label)
        k.put_wide("origin_hash", target, hash)
        k.put_narrow("origin", target, number)


def _first_failing(words: int) -> str:
    """The state of the least level where a promise cannot be evaluated; of several, that of the least hash."""
    k = LivenessText("void @first_failing(ptr noalias %context)", words)
    with k.every_state() as number:
        state = k.state_of(number)
        with k.where(k.ne(k.call64(k.pointer("failing"), state), 0)):
            keep_least(k, number, k.narrow("levels", number), word(0), k.state_hash(state))
    k.ret()
    return k.text()


def liveness_kernel_text(words: int, shared: bool) -> str:
    """The LLVM module; `shared` says that several workers have searched, whose table has parts."""
    passes = (*pass_texts(words), *component_texts(words), *end_texts(words), *part_texts(words, shared))
    return "\n".join([*DECLARATIONS, edges_text(words, shared), *passes])
