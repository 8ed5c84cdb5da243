"""The code of a model: its steps, its properties and its state constraint as LLVM functions.

`step(state, out, open)` writes every enabled successor to `out` and returns how many there are. An entry of `out` has
the words of the new state, then a word with the index of the instance in its low 16 bits and, above them, one bit for
each property of steps that is pending and that the step violates (or, for `reachable`, shows), and 2 more words for the
caller. `judge(state, open)` returns the bits of the pending properties of states that the state violates or shows.
`within(state)` is the state constraint. Bit 46 of a result says that a property could not be
evaluated, bit 47 that the action could not, in which case the words are those of the state itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

from epochal.spec.language import Given, LanguageError, Member
from epochal.spec.language.domains import SetDomain

from ...ir.expression import Expression
from ...ir.model import CompiledInstance, CompiledLiveness, CompiledProperty, Failure, Model
from ...symmetry.canonical import CanonicalForm, Group, KeyPart, relabelling
from ..llvm.instructions import (
    FALSE,
    LANE_DECLARATIONS,
    LANES,
    Instructions,
    LaneInstructions,
    Pointer,
    Variable,
    Word,
    word,
)
from .expressions import Clause, ExpressionWriter, conjuncts_of, disjuncts_of, write_tree

EXTRA_WORDS = 3
INSTANCE_BITS = 16
RULE_FAILED, FAILED = 47, 46
PROPERTY_LIMIT = FAILED
DECLARATIONS = "declare i64 @llvm.ctpop.i64(i64)\n"


def entry_words(model: Model) -> int:
    """The size of an entry of the successor buffer, in words."""
    return model.layout.words + EXTRA_WORDS


def program_text(model: Model, form: CanonicalForm | None = None) -> str:
    """The LLVM module of a model, with `canonical(state)` and `canonical_eight(entries, n)` if there is a
    form.

    Raises LanguageError if the model has too many instances or properties.
    """
    refuse_many_properties([one.member for one in model.properties])
    if len(model.instances) >= 1 << INSTANCE_BITS:
        raise LanguageError(f"{len(model.instances):,} possible steps; at most {1 << INSTANCE_BITS:,} are allowed")
    canonical = [] if form is None else [canonical_text(form), canonical_eight_text(form, entry_words(model))]
    return "\n".join([DECLARATIONS, _step(model), _judge(model), _within(model), *canonical])


def refuse_many_properties(members: Sequence[Member]) -> None:
    """Raise LanguageError if there are too many properties; best before they are compiled."""
    if len(members) > PROPERTY_LIMIT:
        raise LanguageError(
            f"{len(members):,} properties; at most {PROPERTY_LIMIT} can be checked together",
            members[PROPERTY_LIMIT].where,
            (
                "Ask for some of them (",
                Given("properties"),
                "; with lemmas only what is asked for counts), say several things in one, or use ",
                Given("engine", "python"),
                ", which takes any number and is slow.",
            ),
        )


STATE, OUT, OPEN = Pointer("%state"), Pointer("%out"), Word("%open")
"""The parameters of the functions below. `%open` are the bits of the pending properties: those still looked for."""


def program_writer(model: Model, signature: str) -> ExpressionWriter:
    """A function of a state at %state, whose words are in registers."""
    function = Instructions(signature)
    words = [function.load64(function.element(STATE, i)) for i in range(model.layout.words)]
    return ExpressionWriter(function, model.layout, words)


def _step(model: Model) -> str:
    writer = program_writer(model, "i64 @step(ptr %state, ptr %out, i64 %open)")
    function = writer.function
    place = function.variable(Pointer, OUT)
    failed = [_failed(model, writer, place, index) for index in range(len(model.instances))]
    made = [_successor(model, writer, place, i, compiled) for i, compiled in enumerate(model.instances)]
    write_tree(writer, _clauses(model, failed, made))
    function.ret(function.distance(place.get(), OUT, 8 * entry_words(model)))
    return function.text()


def _clauses(
    model: Model, failed: Sequence[Callable[[], None]], made: Sequence[Callable[[], None]]
) -> Sequence[Clause]:
    """What `step` decides: which instances fail, and which make a successor."""
    clauses: list[Clause] = []
    for index, compiled in enumerate(model.instances):
        clauses += [Clause(conjuncts_of(failure.condition), failed[index]) for failure in compiled.failures]
        clauses.append(Clause(conjuncts_of(compiled.enabled), made[index]))
    return clauses


def _finish(
    model: Model, writer: ExpressionWriter, place: Variable[Pointer], at: Pointer, words: list[Word], tag: Word
) -> None:
    """Store the words and the tag of an entry, and move on."""
    function = writer.function
    for i, operand in enumerate([*words, tag]):
        to = function.element(at, i)
        function.store64(operand, to)
    place.set(function.element(at, entry_words(model)))


def _failed(model: Model, writer: ExpressionWriter, place: Variable[Pointer], index: int) -> Callable[[], None]:
    def write() -> None:
        _finish(model, writer, place, place.get(), [*writer.words], word(index | 1 << (INSTANCE_BITS + RULE_FAILED)))

    return write


def _successor(
    model: Model, writer: ExpressionWriter, place: Variable[Pointer], index: int, compiled: CompiledInstance
) -> Callable[[], None]:
    def write() -> None:
        tag = _step_judgement(model, writer, index, compiled)
        words = new_words(writer, compiled.updates)
        _finish(model, writer, place, place.get(), words, tag)

    return write


def new_words(writer: ExpressionWriter, updates: dict[int, Expression]) -> list[Word]:
    """The words of the state after some leaves were set: each word is changed in place."""
    function = writer.function
    words = list(writer.words)
    for index in range(len(words)):
        cleared = constant = added = 0
        parts: list[Word] = []
        for leaf, value in updates.items():
            field = writer.layout.fields[leaf]
            if field.word != index or not field.bits:
                continue
            if value.op.value == "offset" and value.args[0].op.value == "field" and value.args[0].value == leaf:
                added += value.value << field.shift
                continue
            cleared |= field.mask
            if value.is_const:
                constant |= value.value << field.shift
            else:
                code = writer.code(value)
                parts.append(function.shl(code, field.shift) if field.shift else code)
        new = words[index]
        if added:
            new = function.add(new, added)
        if cleared:
            new = function.and_(new, ~cleared)
        if constant:
            new = function.or_(new, constant)
        for part in parts:
            new = function.or_(new, part)
        words[index] = new
    return words


def _step_judgement(model: Model, writer: ExpressionWriter, index: int, compiled: CompiledInstance) -> Word:
    """The tag of a step: its instance, and what the pending properties of steps say of it."""
    function, number = writer.function, compiled.instance.number
    conditions: list[tuple[int, Expression]] = []
    failures: list[tuple[int, Expression]] = []
    for bit, property in enumerate(model.properties):
        if property.of_steps:
            shown = shown_by(model, property, property.on_step[number])
            if shown is not model.graph.false:
                conditions.append((bit, shown))
            failures += [(bit, f.condition) for f in property.step_failures.get(number, ())]
    if not conditions and not failures:
        return word(index)
    mask = sum(1 << bit for bit in {bit for bit, _ in (*conditions, *failures)})
    found, failed = _Bits(function), _Bits(function) if failures else None
    with function.where(function.ne(function.and_(OPEN, mask), 0)):
        for bit, condition in conditions:
            with function.where(writer.bit(condition)):
                found.add(bit)
        for bit, condition in failures:
            assert failed is not None
            with function.where(writer.bit(condition)):
                failed.add(bit)
    return function.or_(function.shl(_verdict(function, found, failed), INSTANCE_BITS), index)


class _Bits:
    """A variable of the code that collects one bit for each property."""

    def __init__(self, function: Instructions) -> None:
        self._function = function
        self._collected = function.variable(Word, 0)

    def add(self, bit: int) -> None:
        """Set a bit."""
        self._collected.set(self._function.or_(self.get(), 1 << bit))

    def get(self) -> Word:
        """All bits."""
        return self._collected.get()


def _verdict(function: Instructions, found: _Bits, failed: _Bits | None) -> Word:
    """The bits of the pending properties that are shown and could be evaluated, and whether one could not."""
    shown = function.and_(found.get(), OPEN)
    if failed is None:
        return shown
    bits = failed.get()
    evaluated = function.and_(shown, function.xor(bits, -1))
    any_failed = function.ne(function.and_(bits, OPEN), 0)
    return function.or_(evaluated, function.select(any_failed, 1 << FAILED, 0))


def shown_by(model: Model, property: CompiledProperty, holds: Expression) -> Expression:
    """The condition that a search looks for: a violation, or the witness of a `reachable`."""
    return holds if property.member.mark.kind == "reachable" else model.graph.not_(holds)


def _judge(model: Model) -> str:
    writer = program_writer(model, "i64 @judge(ptr %state, i64 %open)")
    function = writer.function
    found = _Bits(function)
    failed = _Bits(function) if any(p.failures for p in model.properties) else None
    for witnesses in (False, True):
        clauses: list[Clause] = []
        mask = 0
        for bit, property in enumerate(model.properties):
            if property.of_steps or (property.member.mark.kind == "reachable") != witnesses:
                continue
            mask |= 1 << bit
            for part in disjuncts_of(shown_by(model, property, property.holds)):
                clauses.append(Clause(conjuncts_of(part), partial(found.add, bit)))
            if failed is not None:
                clauses += [Clause(conjuncts_of(f.condition), partial(failed.add, bit)) for f in property.failures]
        if clauses:
            with function.where(function.ne(function.and_(OPEN, mask), 0)):
                write_tree(writer, clauses)
    function.ret(_verdict(function, found, failed))
    return function.text()


def _within(model: Model) -> str:
    writer = program_writer(model, "i64 @within(ptr %state)")
    function = writer.function
    inside = function.as_word(writer.bit(model.constraint))
    failing: list[Failure] = list(model.constraint_failures)
    if failing:
        bad = writer.bit(model.graph.any_of([f.condition for f in failing]))
        inside = function.select(bad, 2, inside)
    function.ret(inside)
    return function.text()


# -- liveness program -------------------------------------------------------------------------------------------------
# The conditions of liveness properties as LLVM functions, a bit of a word each, and what only a bound stops.
#
# `premises(state)`, `goals(state)` and `failing(state)` say of up to 64 liveness properties which hold, or cannot be
# evaluated, and `once()` of which the premise is asked of initial states alone. `stopped(state, by)` combines the words
# of `by`, one for each instance, of those that nothing but a bound keeps from being taken; the instances of the model
# come first, then those that are never enabled.

PROPERTIES_AT_ONCE = 64


def labelled(model: Model) -> tuple[CompiledInstance, ...]:
    """The instances by the numbers that `stopped` and edges know them by."""
    return (*model.instances, *model.impossible)


def liveness_program_text(model: Model, promises: Sequence[CompiledLiveness], fair: Collection[int]) -> str:
    """The LLVM module for some liveness properties; `fair` are the numbers of the instances of which fairness is
    assumed."""

    def any_failure(promise: CompiledLiveness) -> Expression:
        return model.graph.any_of([failure.condition for failure in promise.failures])

    return "\n".join(
        [
            DECLARATIONS,
            _bits(model, "premises", promises, lambda promise: promise.premise),
            _bits(model, "goals", promises, lambda promise: promise.goal),
            _bits(model, "failing", promises, any_failure),
            _once(promises),
            _stopped(model, fair),
        ]
    )


def _bits(
    model: Model, name: str, promises: Sequence[CompiledLiveness], condition: Callable[[CompiledLiveness], Expression]
) -> str:
    writer = program_writer(model, f"i64 @{name}(ptr %state)")
    return _collecting(writer, [(condition(one), partial(word, 1 << bit)) for bit, one in enumerate(promises)])


def _once(promises: Sequence[CompiledLiveness]) -> str:
    bits = sum(1 << bit for bit, one in enumerate(promises) if one.member.mark.once)
    return f"define i64 @once() {{\n  ret i64 {bits}\n}}\n"


def _stopped(model: Model, fair: Collection[int]) -> str:
    writer = program_writer(model, "i64 @stopped(ptr %state, ptr %by)")
    function = writer.function

    def load(index: int) -> Word:
        return function.load64(function.element(Pointer("%by"), index))

    found = [
        (compiled.stopped, partial(load, index))
        for index, compiled in enumerate(labelled(model))
        if compiled.stopped is not None and compiled.instance.number in fair
    ]
    return _collecting(writer, found)


def _collecting(writer: ExpressionWriter, found: Sequence[tuple[Expression, Callable[[], Word]]]) -> str:
    """The function that combines the words of the conditions that hold."""
    function = writer.function
    total = function.variable(Word, 0)

    def add(bits: Callable[[], Word]) -> None:
        total.set(function.or_(total.get(), bits()))

    clauses = [
        Clause(conjuncts_of(part), partial(add, bits)) for condition, bits in found for part in disjuncts_of(condition)
    ]
    write_tree(writer, clauses)
    function.ret(total.get())
    return function.text()


# -- canonical --------------------------------------------------------------------------------------------------------
# The representative of a state's orbit, in machine code: what `checker.symmetry.canonical` defines.
#
# `canonical(state)` replaces a state by its representative. Identifiers are sorted by their keys, exchanging two
# neighbours at a time; where keys are equal, a fixed walk of such exchanges goes through every order of the tied ones,
# and the least state met is kept. An exchange is made on whole words: the fields of two entries change places, and so
# do two bits of every set and two codes of every stored identifier, all those of a word at once.

# -- exchanges --------------------------------------------------------------------------------------------------------
# Keys of identifiers, and exchanges of two of them, as instructions: for one state, or for eight at once. What is
# written depends on the protocol alone; a word of a state may be a number or a number in each lane.


@dataclass(frozen=True)
class Slot:
    """An identifier in the order of all: its group, and its index there."""

    group: Group
    index: int


class Exchanges:
    """Writes what is made of the words of a state into a function."""

    def __init__(self, form: CanonicalForm, f: Instructions) -> None:
        self.form, self.f = form, f
        self.slots = [Slot(group, i) for group in form.naming.groups for i in range(group.size)]
        self.neighbours = [i for i, (a, b) in enumerate(itertools.pairwise(self.slots)) if a.group is b.group]
        """The places of identifiers that the next one may be exchanged with."""

    def sorting(self) -> list[int]:
        """Which neighbours to compare, one after the other, so that each group is sorted."""
        return [
            i
            for last in range(len(self.slots) - 1, 0, -1)
            for i in self.neighbours
            if self.slots[i].index < last < self.slots[i].group.size
        ]

    def exchanged(self, words: Sequence[Word], i: int) -> list[Word]:
        """The words of a state after identifier i and the next one were exchanged."""
        slot = self.slots[i]
        return _Exchange(self, slot.group, slot.index).applied(words)

    def keys(self, state: Sequence[Word]) -> list[Word]:
        """The keys of all identifiers."""
        return [self._key(slot, state) for slot in self.slots]

    def _key(self, slot: Slot, state: Sequence[Word]) -> Word:
        f, total = self.f, word(0)
        for part in self.form.parts[slot.group.prefix]:
            total = f.add(total, f.mul(self._part(part, slot.index, state), part.constant))
        return total

    def _part(self, part: KeyPart, index: int, state: Sequence[Word]) -> Word:
        f = self.f
        found = self.shifted(state[part.words[index]], -part.shifts[index])
        if part.codes:
            found = f.xor(self.some_bit(found, part.mask, part.codes[index], part.width), -1)
        found = f.and_(found, part.mask)
        return f.popcount(found) if part.count else found

    def some_bit(self, held: Word, mask: int, code: int, width: int) -> Word:
        """At every bit of the mask: whether the field that begins there differs from a code."""
        f = self.f
        differs = f.xor(held, mask * code)
        total = differs
        for by in range(1, width):
            total = f.or_(total, f.lshr(differs, by))
        return total

    def shifted(self, held: Word, left: int) -> Word:
        """A word shifted up by so many bits, or down by as many as `left` is below zero."""
        if not left:
            return held
        return self.f.shl(held, left) if left > 0 else self.f.lshr(held, -left)


class _Exchange:
    """What exchanging an identifier with the next does to the words of a state, as masks that serve many fields."""

    def __init__(self, writer: Exchanges, group: Group, first: int) -> None:
        self.writer, self.f, form = writer, writer.f, writer.form
        names, fields = group.exchange(first, first + 1), form.layout.fields
        self.moves: dict[tuple[int, int, int], int] = {}
        self.bits: dict[tuple[int, int], int] = {}
        self.codes: dict[tuple[int, int, int, int], int] = {}
        self.in_use: list[tuple[int, int, int, int]] = []
        for leaf, (place, field) in enumerate(zip(form.naming.places, fields, strict=True)):
            other = form.naming.target(leaf, names)
            if leaf < other:
                key = (field.word, fields[other].word, fields[other].shift - field.shift)
                self.moves[key] = self.moves.get(key, 0) | field.mask
            for a, b in relabelling(place.domain, names).items():
                if a > b or not field.bits:
                    continue
                if isinstance(place.domain, SetDomain):
                    self.bits[field.word, b - a] = self.bits.get((field.word, b - a), 0) | 1 << field.shift + a
                elif place.used is None or a > 0:
                    key4 = (field.word, field.bits, a, b)
                    self.codes[key4] = self.codes.get(key4, 0) | 1 << field.shift
                else:
                    self.in_use.append((leaf, *place.used, b))
        self.fields = fields

    def applied(self, before: Sequence[Word]) -> list[Word]:
        """The words after the exchange. Identifiers are renamed where they lie, then entries change places."""
        f, words = self.f, list(before)
        for (at, distance), mask in self.bits.items():
            words[at] = self._swapped(words[at], distance, mask)
        for (at, width, a, b), mask in self.codes.items():
            first, second = (self.writer.some_bit(words[at], mask, code, width) for code in (a, b))
            neither = f.xor(f.and_(first, second), -1)
            either = f.and_(neither, mask)
            flipped = f.mul(either, a ^ b) if a ^ b != 1 else either
            words[at] = f.xor(words[at], flipped)
        for leaf, marker, least, other in self.in_use:
            self._in_use(words, leaf, marker, least, other)
        for (a, b, distance), mask in self.moves.items():
            if a == b:
                words[a] = self._swapped(words[a], distance, mask)
                continue
            there = self.writer.shifted(words[b], -distance)
            differ = f.and_(f.xor(words[a], there), mask)
            words[a] = f.xor(words[a], differ)
            words[b] = f.xor(words[b], self.writer.shifted(differ, distance))
        return words

    def _swapped(self, held: Word, distance: int, mask: int) -> Word:
        """A word in which the bits of the mask have changed places with those `distance` further up (or down)."""
        if distance < 0:
            mask, distance = mask >> -distance, -distance
        f = self.f
        up = f.lshr(held, distance)
        differ = f.and_(f.xor(held, up), mask)
        both = f.or_(differ, f.shl(differ, distance))
        return f.xor(held, both)

    def _in_use(self, words: list[Word], leaf: int, marker: int, least: int, other: int) -> None:
        """Exchange code 0 and another in a field, if the slot that it belongs to is in use."""
        f, field, sign = self.f, self.fields[leaf], self.fields[marker]
        code, end = (f.and_(self.writer.shifted(words[at.word], -at.shift), (1 << at.bits) - 1) for at in (field, sign))
        concerned = f.either(f.eq(code, 0), f.eq(code, other))
        used = f.uge(end, least)
        flipped = f.select(f.both(used, concerned), other << field.shift, 0)
        words[field.word] = f.xor(words[field.word], flipped)


def canonical_text(form: CanonicalForm) -> str:
    """The LLVM text of `canonical(state)`, which changes the words of a state in place."""
    return _Writer(form).text()


class _Writer:
    """Writes the function for one protocol."""

    def __init__(self, form: CanonicalForm) -> None:
        self.words = form.layout.words
        self.f = Instructions("void @canonical(ptr %state)")
        self.exchanges = Exchanges(form, self.f)

    def text(self) -> str:
        """The function, and the walks that it looks up."""
        f, neighbours = self.f, self.exchanges.neighbours
        state = [f.load64(self._at(w)) for w in range(self.words)]
        place = [f.variable(Word, held) for held in state]
        keys = [f.variable(Word, key) for key in self.exchanges.keys(state)]
        self._sort(place, keys)
        ties = word(0)
        for i in neighbours:
            first, second = keys[i].get(), keys[i + 1].get()
            ties = f.or_(ties, f.shl(f.as_word(f.eq(first, second)), i))
        with f.where(f.ne(ties, 0)):
            self._try_all(place, ties, neighbours)
        for w in range(self.words):
            f.store64(place[w].get(), self._at(w))
        f.ret()
        return _walk_tables(len(self.exchanges.slots)) + f.text()

    def _at(self, index: int) -> Pointer:
        return self.f.element(Pointer("%state"), index)

    # -- sorting --------------------------------------------------------------------------------------------------

    def _sort(self, place: list[Variable[Word]], keys: list[Variable[Word]]) -> None:
        """Sort each group by exchanging neighbours."""
        f = self.f
        for i in self.exchanges.sorting():
            first, second = keys[i].get(), keys[i + 1].get()
            with f.where(f.ugt(first, second)):
                keys[i].set(second)
                keys[i + 1].set(first)
                self._exchange(place, i)

    def _exchange(self, place: list[Variable[Word]], i: int) -> None:
        """Exchange the identifiers i and i + 1 in the state whose words are in `place`."""
        words = [at.get() for at in place]
        for at, old, new in zip(place, words, self.exchanges.exchanged(words, i), strict=True):
            if new != old:
                at.set(new)

    # -- ties -----------------------------------------------------------------------------------------------------

    def _try_all(self, place: list[Variable[Word]], ties: Word, neighbours: list[int]) -> None:
        """Walk through every order of tied identifiers, and leave the least state in `place`."""
        f = self.f
        now = [f.variable(Word, at.get()) for at in place]
        begin, end = (self._entry("@walk_starts", "i32", at) for at in (ties, f.add(ties, 1)))
        with f.each(begin, end) as at:
            with f.switch(self._entry("@walks", "i8", at), neighbours) as cases:
                for i in cases:
                    self._exchange(now, i)
            words, best = ([a.get() for a in places] for places in (now, place))
            less = FALSE
            for held, least in reversed(list(zip(words, best, strict=True))):
                below, same = f.ult(held, least), f.eq(held, least)
                less = f.either(below, f.both(same, less))
            with f.where(less):
                for held, to in zip(words, place, strict=True):
                    to.set(held)

    def _entry(self, table: str, type: str, index: Word) -> Word:
        return self.f.load_widened(self.f.element(Pointer(table), index, type), type)


def walk(ties: Sequence[bool]) -> list[int]:
    """Exchanges of neighbours that lead through every order of tied identifiers, each order once.

    `ties[i]` says whether the identifiers at i and i + 1 are tied. One run of ties is walked from end to end before
    each step of the next, forwards and backwards in turn.
    """
    runs: list[tuple[int, int]] = []
    for tied, group in itertools.groupby(enumerate(ties), key=lambda tie: tie[1]):
        if tied:
            places = [i for i, _ in group]
            runs.append((places[0], len(places) + 1))
    steps: list[int] = []
    for first, size in runs:
        inner, steps = steps, []
        forwards = True
        for step in [None, *plain_changes(size)]:
            if step is not None:
                steps.append(first + step)
            steps += inner if forwards else inner[::-1]
            forwards = not forwards
    return steps


def plain_changes(size: int) -> list[int]:
    """Every order of `size` things by exchanging neighbours: the last one moves to and fro among the others."""
    if size < 2:
        return []
    inner = [None, *plain_changes(size - 1)]
    found: list[int] = []
    down = True
    for step in inner:
        if step is not None:
            found.append(step + (1 if not down else 0))
        sweep = range(size - 2, -1, -1) if down else range(size - 1)
        found += sweep
        down = not down
    return found


def _walk_tables(slots: int) -> str:
    """The walks of all patterns of ties, one after the other, and where each begins."""
    walks = [walk([bool(pattern >> i & 1) for i in range(slots - 1)]) for pattern in range(1 << max(slots - 1, 0))]
    starts = itertools.accumulate(map(len, walks), initial=0)
    steps = [step for one in walks for step in one] or [0]
    told = [f"i32 {start}" for start in starts]
    return (
        f"@walks = private constant [{len(steps)} x i8] [{', '.join(f'i8 {step}' for step in steps)}]\n"
        f"@walk_starts = private constant [{len(told)} x i32] [{', '.join(told)}]\n"
    )


# -- canonical eight --------------------------------------------------------------------------------------------------
# The representatives of many states, eight at a time and without a branch. `canonical_eight(entries, n)` does with the
# states of n entries, as `step` writes them, what `canonical` does with one. Which identifiers must be exchanged cannot
# be predicted; so every exchange that may be needed is made in all lanes, and a lane takes over those that it needs.
# Where keys are equal, which is seldom, `canonical` goes on with a state alone.

ENTRIES, COUNT = Pointer("%entries"), Word("%n")
CANONICAL_DECLARATIONS = (
    *LANE_DECLARATIONS,
    "declare i64 @llvm.umin.i64(i64, i64)",
    "declare i64 @llvm.cttz.i64(i64, i1)",
)


def canonical_eight_text(form: CanonicalForm, stride: int) -> str:
    """The LLVM text of `canonical_eight`, and what it declares; an entry has `stride` words."""
    f = LaneInstructions("void @canonical_eight(ptr %entries, i64 %n)")
    one = f.single
    index, tied = one.variable(Word, 0), one.variable(Word, 0)
    last = one.sub(COUNT, 1)

    def entry(number: Word) -> Pointer:
        """An entry; the last one for all numbers beyond: it is in several lanes then, and becomes the same in all."""
        return one.element(ENTRIES, one.mul(one.umin(number, last), stride))

    with one.loop() as (_, done):
        first = index.get()
        one.jump_if(one.uge(first, COUNT), done)
        index.set(one.add(first, LANES))
        states = [entry(one.add(first, lane)) for lane in range(LANES)]
        places = [[one.element(state, w) for state in states] for w in range(form.layout.words)]
        words, ties = _sorted(f, Exchanges(form, f), [f.gathered(list(map(f.load64, lanes))) for lanes in places])
        for word, lanes in zip(words, places, strict=True):
            for lane, at in enumerate(lanes):
                one.store64(f.lane(word, lane), at)
        tied.set(ties)
        with one.loop() as (_, untied):
            left = tied.get()
            one.jump_if(one.eq(left, 0), untied)
            tied.set(one.and_(left, one.sub(left, 1)))
            one.call("canonical", entry(one.add(first, one.lowest_bit(left))))
    f.ret()
    return "\n".join([*CANONICAL_DECLARATIONS, f.text()])


def _sorted(f: LaneInstructions, exchanges: Exchanges, words: list[Word]) -> tuple[list[Word], Word]:
    """The words of states when their identifiers are sorted by their keys, and the lanes in which some are equal."""
    keys = exchanges.keys(words)
    for i in exchanges.sorting():
        first, second = keys[i], keys[i + 1]
        greater = f.ugt(first, second)
        keys[i], keys[i + 1] = f.select(greater, second, first), f.select(greater, first, second)
        after = exchanges.exchanged(words, i)
        words = [old if new == old else f.select(greater, new, old) for old, new in zip(words, after, strict=True)]
    ties = f.any_of([f.eq(keys[i], keys[i + 1]) for i in exchanges.neighbours])
    return words, f.lane_bits(ties)
