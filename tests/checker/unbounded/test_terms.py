"""What stands between rules and solver changes no meaning: definitions and the parts of a goal, in finite states."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Any

import pytest

from epochal.checker.parametric.compared import Comparison
from epochal.checker.parametric.evaluate import Evaluator, Evaluators, Look, Values
from epochal.checker.parametric.rules import ParametricReading
from epochal.checker.parametric.terms import (
    BOOL,
    IDENTIFIER,
    INT,
    Bound,
    Symbol,
    Term,
    and_,
    apply,
    constant,
    exists,
    forall,
    implies,
    ite,
    le,
    lt,
    not_,
    or_,
    subterms,
    variable,
)
from epochal.checker.tasks.answering import one_by_one
from epochal.checker.unbounded import asking
from epochal.checker.unbounded.defined import Definitions
from epochal.checker.unbounded.ladder import Climber, Effort, Question
from epochal.checker.unbounded.split import split
from epochal.language import Integers, Protocol, Set, invariant, lemma
from epochal.spec.classic.kip_320_proof import Kip320Proof
from tests.checker.parametric.zoo import Chosen, Logs, Loops, Node, Sets, ZooBounds

NUMBERS = range(-3, 8)
"""What stands for all integers: somewhat more than what the bounds of the protocols here allow."""

MOST_CONSTANTS = 3
MOST_TERMS = 40


class Extremes(Protocol):
    """Minima and maxima of what may be nothing, within others, and sizes of sets."""

    bounds: ZooBounds
    some: Set[Node]
    few: Set[Node]
    limit: Annotated[int, Integers(0, ZooBounds.most)]

    @lemma
    def least(self) -> bool:
        """Of an empty range, with a default that no element is."""
        numbers = range(self.limit)
        return min((i for i in numbers if i > 0), default=-1) <= max((i for i in numbers if i != 1), default=5)

    @lemma
    def within(self) -> bool:
        """One in the other, under a quantifier."""
        return all(
            max((j for j in range(i) if min((k for k in range(j)), default=2) < j), default=self.limit) <= i
            for i in range(self.limit)
        )

    @invariant
    def sizes(self) -> bool:
        """Of sets that have none, one, two or more."""
        return len(self.some) <= 1 or len(self.few & self.some) == 2 or len(self.few) != 0


KINDS = (Loops, Logs, Sets, Chosen, Extremes, Kip320Proof)


class Finite(Evaluators):
    """Computes terms in which integers without limits are those of NUMBERS."""

    def _unlimited(self, term: Term) -> Evaluator:
        return lambda values, look: NUMBERS.stop


def goals(reading: ParametricReading) -> Iterator[Term]:
    """Terms as they are proved: lemmas after each action."""
    members = [*reading.protocol.members("lemma"), *reading.protocol.members("invariant")]
    actions = [reading.action(member) for member in reading.protocol.members("action")]
    for view in (None, *(action.after for action in actions)):
        for member in members:
            yield reading.predicate(member, view).holds


def prepared(kind: type[Protocol]) -> tuple[Comparison, Finite, list[Term]]:
    """A protocol in which terms are computed, and some of its goals."""
    comparison = Comparison(kind(kind.bounds_type()()))
    sizes = {IDENTIFIER + prefix: size for prefix, size in comparison._sizes.items()}
    return comparison, Finite(sizes), list(itertools.islice(goals(comparison.reading), MOST_TERMS))


def defined_by(define: Definitions) -> dict[str, tuple[Term, list[Term]]]:
    """What each function stands for that definitions have made, and its parameters."""
    found = {}
    for term, value in define._found.items():
        if term.op in ("extreme", "count"):
            found[value.value.name] = (term, list(value.args))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_definitions_are_true(kind: type[Protocol]) -> None:
    comparison, finite, terms = prepared(kind)
    define = Definitions()
    defined = [define(term) for term in terms]
    meant = defined_by(define)
    facts = [finite(fact) for fact in define.facts(defined)]
    pairs = [(finite(a), finite(b)) for a, b in zip(terms, defined, strict=True) if not a.free and a is not b]
    for _ in range(6):
        known = comparison.look(comparison.table(comparison.random_state()))

        def look(name: str, arguments: tuple[Any, ...], known: Look = known) -> Any:
            if name not in meant:
                return known(name, arguments)
            term, names = meant[name]
            return finite(term)(dict(zip(names, arguments, strict=True)), known)

        assert all(fact({}, look) for fact in facts)
        assert all(plain({}, look) == new({}, look) for plain, new in pairs)


def constants(clauses: Sequence[Sequence[Term]]) -> list[Term]:
    """The constants that a goal was split with."""
    free = frozenset[Term]().union(*(part.free for clause in clauses for part in clause))
    return sorted(free, key=lambda one: str(one.value.name))


def every(names: Sequence[Term], sizes: dict[str, int]) -> Iterator[Values]:
    """Every choice of values."""
    ranges: list[Any] = [
        NUMBERS if one.sort == INT else (False, True) if one.sort == BOOL else range(sizes[one.sort]) for one in names
    ]
    for chosen in itertools.product(*ranges):
        yield dict(zip(names, chosen, strict=True))


def same(goal: Term, finite: Finite, looks: Sequence[Look]) -> bool:
    """Whether the parts of a goal are all true, of all constants, if and only if the goal is; False: not looked at."""
    clauses = split(goal)
    names = constants(clauses)
    if len([one for one in names if one not in goal.free]) > MOST_CONSTANTS or len(names) > MOST_CONSTANTS + 1:
        return False
    whole, parts = finite(goal), [[finite(part) for part in clause] for clause in clauses]
    own = [one for one in names if one in goal.free]
    for look in looks:
        for outside in every(own, finite.sizes):
            values = every([one for one in names if one not in goal.free], finite.sizes)
            held = all(any(part({**outside, **one}, look) for part in clause) for one in values for clause in parts)
            assert held == bool(whole(outside, look)), goal
    return True


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_parts_of_a_goal_are_the_goal(kind: type[Protocol]) -> None:
    comparison, finite, terms = prepared(kind)
    looks = [comparison.look(comparison.table(comparison.random_state())) for _ in range(3)]
    small = [term for term in terms if sum(1 for _ in subterms([term])) < 60]
    assert sum(same(term, finite, looks) for term in small) > 0


N = IDENTIFIER + "n"
A, X, Y = variable("a", N), variable("x", N), variable("y", N)
K, J = variable("i", INT), variable("j", INT)
F = Symbol("f")


def f(*arguments: Term) -> Term:
    """A truth value."""
    return apply(F, arguments, BOOL)


BELOW = Bound(K, constant(0), constant(3))
HANDMADE: dict[str, Term] = {
    "limits": forall([BELOW], f(K)),
    "limits of what there is": exists([BELOW], f(K)),
    "none in limits": not_(exists([BELOW], f(K))),
    "not all in limits": not_(forall([BELOW], f(K))),
    "two": forall([Bound(X), Bound(Y)], or_(f(X), not_(f(Y)))),
    "one or the other": or_(forall([Bound(X)], f(X)), forall([Bound(X)], not_(f(X)))),
    "not both": not_(and_(f(constant(0)), f(constant(1)), exists([BELOW], f(K)))),
    "neither": not_(or_(f(constant(0)), forall([BELOW], f(K)))),
    "choice": ite(f(constant(0)), forall([BELOW], f(K)), exists([BELOW], f(K))),
    "no choice": not_(ite(f(constant(0)), forall([BELOW], f(K)), exists([BELOW], f(K)))),
    "in turn": forall([Bound(X)], exists([BELOW], implies(f(X), forall([Bound(J, K, constant(3))], f(J))))),
}


@pytest.mark.parametrize("what", HANDMADE)
def test_the_parts_of_a_goal_made_by_hand_are_the_goal(what: str) -> None:
    finite, goal = Finite({N: 2}), HANDMADE[what]
    tables = itertools.product((False, True), repeat=6)
    looks: list[Look] = [lambda name, at, t=t: t[at[0] % 6] for t in tables]  # type: ignore[misc]  # a default
    assert same(goal, finite, looks)


# -- the solver ---------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[list[Term], Term]] = {
    "of all in limits, so of all": ([forall([BELOW], f(K))], f(J)),
    "of all in limits, so of the one after": ([forall([BELOW], f(K))], f(constant(3))),
    "of one, so of one in limits": ([f(J)], exists([BELOW], f(K))),
    "of one in limits, so of the first": ([exists([BELOW], f(K))], f(constant(0))),
    "of one, so of another": ([f(X)], f(Y)),
    "one chosen": ([lt(J, constant(5))], le(ite(f(X), J, constant(9)), constant(5))),
    "one chosen of two": ([], le(ite(f(X), ite(f(Y), constant(0), constant(1)), constant(0)), constant(0))),
    "the contrary": ([f(A)], not_(f(A))),
}
RIGHT: dict[str, tuple[list[Term], Term]] = {
    "of all in limits": ([forall([BELOW], f(K)), le(constant(0), J), lt(J, constant(3))], f(J)),
    "of one in limits": ([f(J), le(constant(0), J), lt(J, constant(3))], exists([BELOW], f(K))),
    "chosen": ([le(J, constant(5))], le(ite(f(X), J, constant(2)), constant(5))),
}


@pytest.mark.parametrize("steep", [False, True])
@pytest.mark.parametrize("what", [*WRONG, *RIGHT])
def test_no_way_proves_what_is_wrong(what: str, steep: bool) -> None:
    hypotheses, goal = {**WRONG, **RIGHT}[what]
    question = Question(tuple(hypotheses), (), (goal,), ())
    assert Climber(Effort(20_000, steep)).answer(question).proved == (what in RIGHT)


def test_an_answer_is_kept_for_the_same_question_only(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = [
        Question((f(A),), (), (f(X),), ()),
        Question((), (f(A),), (f(X),), ()),
        Question((f(A),), (), (f(Y),), ()),
    ]

    def keys() -> set[str]:
        return {
            asking.Asking(partial(one_by_one, Climber), True, unit)._key(question, steep)
            for unit in (1, 2)
            for steep in (False, True)
            for question in questions
        }

    before = keys()
    assert len(before) == 12
    monkeypatch.setattr(asking, "MEANING_FILES", asking.MEANING_FILES[1:])
    assert not before & keys()
