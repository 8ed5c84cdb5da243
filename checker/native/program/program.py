"""The code of a model: its steps, its properties and its state constraint as LLVM functions.

`step(state, out, open)` writes every enabled successor to `out` and returns how many there are. An entry of `out` has
the words of the new state, then a word with the index of the instance in its low 16 bits and, above them, one bit for
each property of steps that is pending and that the step violates (or, for `reachable`, shows), and 2 more words for the
caller. `judge(state, open)` returns the bits of the pending properties of states that the state violates or shows.
`within(state)` is the state constraint. Bit 46 of a result says that a property could not be
evaluated, bit 47 that the action could not, in which case the words are those of the state itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from epochal.spec.language import Given, LanguageError, Member

from ...ir.expression import Expression
from ...ir.model import CompiledInstance, CompiledProperty, Failure, Model
from ...symmetry.canonical import CanonicalForm
from ..llvm.instructions import Instructions, Pointer, Variable, Word, word
from .canonical import canonical_eight_text, canonical_text
from .decisions import Clause, conjuncts_of, disjuncts_of, write_tree
from .expressions import ExpressionWriter

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
