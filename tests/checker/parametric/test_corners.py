"""Corners in which the parametric reading was once another one than Python's: read as Python does, or refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import pytest

from epochal.checker.parametric import terms
from epochal.checker.parametric.compared import Comparison, Evaluators
from epochal.checker.parametric.domains import Numbers, Untranslatable
from epochal.checker.parametric.rules import ParametricSemantics
from epochal.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    bound,
    lemma,
    require,
)
from epochal.spec.language import LanguageError
from tests.checker.parametric.finer import MORE
from tests.checker.parametric.test_reading import compare, require_agreement
from tests.checker.parametric.zoo import ZOO


@dataclass(frozen=True)
class CornerBounds(Bounds):
    """Called like the attributes of what stands for them."""

    size: int = bound(2, least=1, most=4, help="the greatest number")
    kind: int = bound(3, least=1, most=4, help="nodes")
    numbers: int = bound(3, least=1, most=4, help="entries of a log")


B = CornerBounds
DEFAULT = CornerBounds()
Node = Annotated[Identifier, Identifiers("n", B.kind)]
Count = Annotated[int, Integers(0, B.size)]


class Ended(Struct):
    """With a field that is called as what a log has."""

    end: Count
    by: Node | None


class Pair(Struct):
    """Two numbers."""

    x: Count
    y: Count


class State(Protocol):
    """What the rules below change."""

    bounds: CornerBounds
    log: Annotated[Log[Ended], Capacity(B.numbers)]
    some: Set[Node]
    of: Map[Node, Set[Node]]
    held: Map[Node, bool]
    grid: Map[Node, Map[Node, bool]]
    flag: bool
    count: Count
    a: Pair
    b: Pair


# -- read as Python does ------------------------------------------------------------------------------------------


class AFieldCalledEnd(State):
    @action
    def add(self, count: Count) -> None:
        require(len(self.log) < self.bounds.numbers)
        self.log.append(Ended(end=count, by=None))

    @action
    def see(self, i: Count) -> None:
        require(i < len(self.log))
        self.count = self.log[i].end


class ParametersCalledLikeVariables(State):
    """The eleventh variable of a rule is no parameter that is called `m1`."""

    @action
    def rule(self, m1: Node) -> None:
        found = self.of[m1]
        for _ in range(9):
            found = found if found == self.some else self.of[m1]
        self.flag = self.some == self.of[m1]

    @action
    def grow(self, n: Node, m: Node) -> None:
        self.some |= {n}
        self.of[m] |= {n}


class ChosenAtFirst(State):
    """An initial state that depends on a parameter, and one that is excluded."""

    def initial(self, count: Count, n: Node) -> None:
        require(count > 0)
        self.count = count
        self.some = Set({n})

    @action
    def rule(self) -> None:
        self.flag = self.count > 0


@pytest.mark.parametrize("kind", [AFieldCalledEnd, ParametersCalledLikeVariables, ChosenAtFirst])
def test_it_is_read_as_python_does(kind: type[State]) -> None:
    require_agreement(kind())


# -- refused ------------------------------------------------------------------------------------------------------


class Identity(State):
    @action
    def rule(self) -> None:
        self.flag = self.a is self.b


class TakenBesideAChange(State):
    @action
    def rule(self) -> None:
        self.a.x, self.b = 1, self.a


class NamedBesideAChange(State):
    @action
    def rule(self) -> None:
        pair, self.a.x = self.a, 1
        self.count = pair.x


class GeneratorOfAnotherRound(State):
    @action
    def rule(self) -> None:
        held = (self.held[n] for n in self.held)
        for n in self.held:
            self.held[n] = any(held)


class GeneratorOfAnotherElement(State):
    @action
    def rule(self) -> None:
        held = (self.held[n] for n in self.held)
        self.flag = all(any(held) for n in self.some)


class RowsAndColumns(State):
    """The round of one element undoes what the round of another did."""

    @action
    def rule(self, m: Node) -> None:
        for n in self.grid:
            self.grid[n][m] = True
            self.grid[m][n] = False


class InnerWritesOuterReads(State):
    """What an inner loop changes is read elsewhere by another round of the outer one."""

    @action
    def rule(self, a: Node) -> None:
        for n in self.held:
            for m in self.of[n]:
                self.grid[n][m] = self.grid[a][m]


class InnerWritesForAll(State):
    """An inner loop changes what is no element of the outer one."""

    @action
    def rule(self) -> None:
        for n in self.held:
            for m in self.of[n]:
                self.held[m] = n in self.some


class RemembersTheRoundBefore(State):
    """What a local variable is depends on the round before."""

    @action
    def rule(self, n: Node) -> None:
        last = n
        for m in self.held:
            self.held[m] = m == last
            last = m


class WhichBounds(State):
    @action
    def rule(self) -> None:
        self.flag = self.bounds == DEFAULT


class KindOfBounds(State):
    @action
    def rule(self) -> None:
        self.flag = isinstance(self.bounds, CornerBounds)


class PerhapsBounds(State):
    @action
    def rule(self) -> None:
        bounds = self.bounds if self.flag else None
        self.flag = self.flag and bounds.size == 2  # type: ignore[union-attr]  # known here


class OneOrTrue(State):
    @action
    def rule(self) -> None:
        number = (1,) if self.flag else (True,)
        self.count = number[0]


class DividesByNothing(State):
    @action
    def rule(self) -> None:
        self.count = 1 // 0 if self.flag else 1


REFUSED: dict[type[State], str] = {
    Identity: "is between values that are not None",
    TakenBesideAChange: "a record of the state of which a part was changed",
    NamedBesideAChange: "a record of the state of which a part was changed",
    GeneratorOfAnotherRound: "a second use of a generator",
    GeneratorOfAnotherElement: "a second use of a generator",
    RowsAndColumns: "a loop that changes grid elsewhere",
    InnerWritesOuterReads: "a loop that reads grid elsewhere",
    InnerWritesForAll: "a loop that changes held elsewhere",
    RemembersTheRoundBefore: "a variable that a loop over the state assigns",
    WhichBounds: "a comparison of the bounds",
    KindOfBounds: "a call of isinstance",
    PerhapsBounds: "size of a AnyBounds",
    OneOrTrue: "a variable that has values of different kinds",
    DividesByNothing: "ZeroDivisionError",
}


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_it_is_refused(kind: type[State]) -> None:
    (member,) = kind.members("action")
    with pytest.raises(Untranslatable) as refused:
        ParametricSemantics(kind).action(member)
    assert REFUSED[kind] in refused.value.message
    assert refused.value.where is not None


class Swapped(State):
    """What is taken beside the assignment of whole records is as it was."""

    @action
    def rule(self) -> None:
        self.a, self.b = self.b, self.a

    @action
    def change(self, count: Count) -> None:
        self.a.x, self.count = count, self.b.y


def test_records_are_exchanged() -> None:
    _, found, refused = compare(Swapped(), 20)
    assert not found, found[0]
    assert not refused


Less = Annotated[Identifier, Identifiers("s", B.size - (B.kind - B.numbers))]
More = Annotated[Identifier, Identifiers("s", (B.size - B.kind) - B.numbers)]
Same = Annotated[Identifier, Identifiers("s", B.size + B.numbers - B.kind)]


def two_sizes(one: object, other: object) -> type[Protocol]:
    """A protocol with two domains of the same prefix."""
    annotations = {"bounds": CornerBounds, "one": one, "two": other}
    return type("Made", (Protocol,), {"__annotations__": annotations, "__module__": __name__})


def test_sizes_whose_texts_are_the_same_are_two() -> None:
    ParametricSemantics(two_sizes(Less, Same))
    with pytest.raises(Untranslatable, match="two domains of identifiers with the prefix 's'"):
        ParametricSemantics(two_sizes(Less, More))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: terms.eq(terms.TRUE, terms.constant(1)),
        lambda: terms.substitute(
            terms.forall([terms.Bound(x := terms.variable("x", "id:n"))], terms.eq(x, terms.variable("y", "id:n"))),
            {terms.variable("y", "id:n"): x},
        ),
    ],
    ids=["sorts", "capture"],
)
def test_terms_that_would_mean_something_else_are_an_error(wrong: Callable[[], object]) -> None:
    with pytest.raises(AssertionError):
        wrong()


# -- what is taken for granted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*ZOO, *MORE], ids=lambda kind: kind.__name__)
def test_typing_is_about_every_number_that_there_is(kind: type[Protocol]) -> None:
    comparison = Comparison(kind(kind.bounds_type()()))
    table = comparison.table(comparison.random_state())
    typed = comparison._evaluators(terms.and_(*comparison.reading.typed(comparison.reading.state()).values()))
    assert typed({}, comparison.look(table))
    for path, entries in table.items():
        if isinstance(comparison.reading.leaves[path].domain, Numbers):
            for at in entries:
                for wrong in (-99, 99):
                    assert not typed({}, comparison.look({**table, path: {**entries, at: wrong}})), (path, at)


def test_bounds_are_at_least_what_they_may_be() -> None:
    bounds = ParametricSemantics(AFieldCalledEnd).bounds
    facts = Evaluators({})(terms.and_(*bounds.facts))
    least = {f"#{name}": field.least for name, field in CornerBounds.declared().items()}
    assert facts({}, lambda name, _: least[name])
    for wrong in least:
        assert not facts({}, lambda name, _, wrong=wrong: least[name] - (name == wrong))  # type: ignore[misc]  # a default


@pytest.mark.parametrize("kind", [*ZOO, *MORE], ids=lambda kind: kind.__name__)
def test_a_property_depends_on_nothing_that_it_does_not_say_it_reads(kind: type[Protocol]) -> None:
    comparison = Comparison(kind(kind.bounds_type()()))
    for member in [*kind.members("lemma"), *kind.members("invariant")]:
        found = comparison.reading.predicate(member)
        fails = comparison._evaluators(terms.or_(*(failure.condition for failure in found.failures)))
        holds = comparison._evaluators(found.holds)
        for _ in range(30):
            one, other = (comparison.table(comparison.random_state()) for _ in range(2))
            mixed = {
                path: one.get(path, {}) if path in found.reads else other.get(path, {}) for path in {**one, **other}
            }
            before, after = comparison.look(one), comparison.look(mixed)
            assert fails({}, before) == fails({}, after)
            assert fails({}, before) or holds({}, before) == holds({}, after)


def test_a_lemma_may_not_require() -> None:
    class Requires(State):
        @lemma
        def enabled(self) -> bool:
            require(self.flag)
            return True

    with pytest.raises(LanguageError, match="enabled uses require"):
        ParametricSemantics(Requires).predicate(Requires.members("lemma")[0])
