"""The code of a model: its steps, its properties and its state constraint as LLVM functions.

`step(state, out, open)` writes every enabled successor to `out` and returns how many there are. An entry of `out` has
the words of the new state, then a word with the index of the instance in its low 16 bits and, above them, one bit for
each property of steps that is open and that the step violates (or, for `reachable`, shows), and 2 more words for the
caller. `judge(state, open)` returns the bits of the open properties of states that the state violates or shows.
`within(state)` is the state constraint. Bit 46 of a judgement says that a property could not be
evaluated, bit 47 that the action could not, in which case the words are those of the state itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from epochal.spec.language import Given, LanguageError, Member

from ...ir.expression import Expression
from ...ir.model import CompiledInstance, CompiledProperty, Failure, Model
from ...symmetry.canonical import CanonicalForm
from ..llvm.builder import FunctionText
from .canonical_form import canonical_text
from .decisions import Clause, conjuncts_of, disjuncts_of, write_tree
from .expressions import ExpressionWriter, signed

EXTRA_WORDS = 3
INSTANCE_BITS = 16
RULE_FAILED, FAILED = 47, 46
PROPERTY_LIMIT = FAILED
DECLARATIONS = "declare i64 @llvm.ctpop.i64(i64)\n"


def entry_words(model: Model) -> int:
    """The size of an entry of the successor buffer, in words."""
    return model.layout.words + EXTRA_WORDS


def program_text(model: Model, form: CanonicalForm | None = None) -> str:
    """The LLVM module of a model, with `canonical(state)` if there is a form.

    Raises LanguageError if the model has too many instances or properties.
    """
    refuse_many_properties([one.member for one in model.properties])
    if len(model.instances) >= 1 << INSTANCE_BITS:
        raise LanguageError(f"{len(model.instances):,} possible steps; at most {1 << INSTANCE_BITS:,} are allowed")
    canonical = [canonical_text(form)] if form is not None else []
    return "\n".join([DECLARATIONS, _step(model), _judge(model), _within(model), *canonical])


def refuse_many_properties(members: Sequence[Member]) -> None:
    """Raise LanguageError if there are too many properties; best before they are compiled."""
    if len(members) > PROPERTY_LIMIT:
        raise LanguageError(
            f"{len(members):,} properties; at most {PROPERTY_LIMIT} can be checked together",
            members[PROPERTY_LIMIT].where,
            ("Say several things in one, or use ", Given("engine", "python"), ", which takes any number and is slow."),
        )


def _writer(model: Model, signature: str) -> ExpressionWriter:
    function = FunctionText(signature)
    words = []
    for i in range(model.layout.words):
        at = function.value(f"getelementptr i64, ptr %state, i64 {i}")
        words.append(function.value(f"load i64, ptr {at}"))
    return ExpressionWriter(function, model.layout, words)


def _step(model: Model) -> str:
    writer = _writer(model, "i64 @step(ptr %state, ptr %out, i64 %open)")
    function = writer.function
    place = function.variable("ptr", "%out")
    clauses: list[Clause] = []
    for index, compiled in enumerate(model.instances):
        for failure in compiled.failures:
            clauses.append(Clause(conjuncts_of(failure.condition), _failed(model, writer, place, index)))
        clauses.append(Clause(conjuncts_of(compiled.enabled), _successor(model, writer, place, index, compiled)))
    write_tree(writer, clauses)
    end = function.value(f"load ptr, ptr {place}")
    last, first = function.value(f"ptrtoint ptr {end} to i64"), function.value("ptrtoint ptr %out to i64")
    size = function.value(f"sub i64 {last}, {first}")
    function.do(f"ret i64 {function.value(f'udiv i64 {size}, {8 * entry_words(model)}')}")
    return function.text()


def _finish(model: Model, writer: ExpressionWriter, place: str, at: str, words: list[str], tag: str) -> None:
    """Store the words and the tag of an entry, and move on."""
    function = writer.function
    for i, word in enumerate([*words, tag]):
        to = function.value(f"getelementptr i64, ptr {at}, i64 {i}")
        function.do(f"store i64 {word}, ptr {to}")
    following = function.value(f"getelementptr i64, ptr {at}, i64 {entry_words(model)}")
    function.do(f"store ptr {following}, ptr {place}")


def _failed(model: Model, writer: ExpressionWriter, place: str, index: int) -> Callable[[], None]:
    def write() -> None:
        at = writer.function.value(f"load ptr, ptr {place}")
        _finish(model, writer, place, at, writer.words, str(signed(index | 1 << (INSTANCE_BITS + RULE_FAILED))))

    return write


def _successor(
    model: Model, writer: ExpressionWriter, place: str, index: int, compiled: CompiledInstance
) -> Callable[[], None]:
    def write() -> None:
        tag = _step_judgement(model, writer, index, compiled)
        words = new_words(writer, compiled.updates)
        _finish(model, writer, place, writer.function.value(f"load ptr, ptr {place}"), words, tag)

    return write


def new_words(writer: ExpressionWriter, updates: dict[int, Expression]) -> list[str]:
    """The words of the state after some leaves were set: each word is changed in place."""
    function = writer.function
    words = list(writer.words)
    for index in range(len(words)):
        cleared = constant = added = 0
        parts: list[str] = []
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
                parts.append(function.value(f"shl i64 {code}, {field.shift}") if field.shift else code)
        word = words[index]
        if added:
            word = function.value(f"add i64 {word}, {signed(added)}")
        if cleared:
            word = function.value(f"and i64 {word}, {signed(~cleared)}")
        if constant:
            word = function.value(f"or i64 {word}, {signed(constant)}")
        for part in parts:
            word = function.value(f"or i64 {word}, {part}")
        words[index] = word
    return words


def _step_judgement(model: Model, writer: ExpressionWriter, index: int, compiled: CompiledInstance) -> str:
    """The tag of a step: its instance, and what its open step properties say of it."""
    function, number = writer.function, compiled.instance.number
    conditions: list[tuple[int, Expression]] = []
    failures: list[tuple[int, Expression]] = []
    for bit, property in enumerate(model.properties):
        if property.of_steps:
            shown = _shown(model, property, property.on_step[number])
            if shown is not model.graph.false:
                conditions.append((bit, shown))
            failures += [(bit, f.condition) for f in property.step_failures.get(number, ())]
    if not conditions and not failures:
        return str(index)
    mask = sum(1 << bit for bit in {bit for bit, _ in (*conditions, *failures)})
    found, failed = _Bits(function), _Bits(function) if failures else None
    wanted = function.value(f"and i64 %open, {signed(mask)}")
    with function.where(function.value(f"icmp ne i64 {wanted}, 0")):
        for bit, condition in conditions:
            with function.where(writer.write(condition)):
                found.set(bit)
        for bit, condition in failures:
            assert failed is not None
            with function.where(writer.write(condition)):
                failed.set(bit)
    bits = function.value(f"shl i64 {_verdict(function, found, failed)}, {INSTANCE_BITS}")
    return function.value(f"or i64 {bits}, {index}")


class _Bits:
    """A variable of the code that collects one bit for each property."""

    def __init__(self, function: FunctionText) -> None:
        self._function = function
        self._place = function.variable("i64", "0")

    def set(self, bit: int) -> None:
        """Set a bit."""
        new = self._function.value(f"or i64 {self.value()}, {signed(1 << bit)}")
        self._function.do(f"store i64 {new}, ptr {self._place}")

    def value(self) -> str:
        """All bits."""
        return self._function.value(f"load i64, ptr {self._place}")


def _verdict(function: FunctionText, found: _Bits, failed: _Bits | None) -> str:
    """The bits of the open properties that are shown, of those that could be evaluated, and whether one could not."""
    shown = function.value(f"and i64 {found.value()}, %open")
    if failed is None:
        return shown
    bits = failed.value()
    evaluated = function.value(f"and i64 {shown}, {function.value(f'xor i64 {bits}, -1')}")
    any_failed = function.value(f"icmp ne i64 {function.value(f'and i64 {bits}, %open')}, 0")
    flag = function.value(f"select i1 {any_failed}, i64 {signed(1 << FAILED)}, i64 0")
    return function.value(f"or i64 {evaluated}, {flag}")


def _shown(model: Model, property: CompiledProperty, holds: Expression) -> Expression:
    """The condition that a search looks for: a violation, or the witness of a `reachable`."""
    return holds if property.member.mark.kind == "reachable" else model.graph.not_(holds)


def _judge(model: Model) -> str:
    writer = _writer(model, "i64 @judge(ptr %state, i64 %open)")
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
            for part in disjuncts_of(_shown(model, property, property.holds)):
                clauses.append(Clause(conjuncts_of(part), partial(found.set, bit)))
            if failed is not None:
                clauses += [Clause(conjuncts_of(f.condition), partial(failed.set, bit)) for f in property.failures]
        if clauses:
            wanted = function.value(f"and i64 %open, {signed(mask)}")
            with function.where(function.value(f"icmp ne i64 {wanted}, 0")):
                write_tree(writer, clauses)
    function.do(f"ret i64 {_verdict(function, found, failed)}")
    return function.text()


def _within(model: Model) -> str:
    writer = _writer(model, "i64 @within(ptr %state)")
    function = writer.function
    result = function.value(f"zext i1 {writer.write(model.constraint)} to i64")
    failing: list[Failure] = list(model.constraint_failures)
    if failing:
        bad = writer.write(model.graph.any_of([f.condition for f in failing]))
        result = function.value(f"select i1 {bad}, i64 2, i64 {result}")
    function.do(f"ret i64 {result}")
    return function.text()
