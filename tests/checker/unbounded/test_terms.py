"""What stands between rules and solver changes no meaning: definitions and the parts of a goal, in finite states."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from epochal.checker.identity import engine
from epochal.checker.parametric import terms as making
from epochal.checker.parametric.compared import Comparison, Evaluator, Evaluators, Look, Values
from epochal.checker.parametric.domains import places
from epochal.checker.parametric.rules import ParametricSemantics
from epochal.checker.parametric.terms import (
    BOOL,
    IDENTIFIER,
    INT,
    TRUE,
    Bound,
    Symbol,
    Term,
    add,
    and_,
    apply,
    bound_of,
    constant,
    count,
    eq,
    exists,
    forall,
    implies,
    ite,
    le,
    lt,
    not_,
    or_,
    replaced,
    subterms,
    variable,
)
from epochal.checker.unbounded import proof as asking
from epochal.checker.unbounded.ladder import Climber, Effort, Part
from epochal.checker.unbounded.obligations import Definitions, Names, Narrowed
from epochal.checker.unbounded.oracle import Hint
from epochal.checker.unbounded.question import Question, split
from epochal.checker.unbounded.sizes import MEMBERS
from epochal.checker.unbounded.witnesses import Witnessed
from epochal.checker.workers.pool import one_by_one
from epochal.language import Protocol
from epochal.spec.classic.kip_320_proof import Kip320Proof
from tests.checker.parametric import zoo  # noqa: F401  # rows use it
from tests.checker.parametric.windows import Windows
from tests.checker.parametric.zoo import Chosen, Logs, Loops, Sets
from tests.zoo.rows import made

NUMBERS = range(-3, 8)
"""What stands for all integers: somewhat more than what the bounds of the protocols here allow."""

MOST_CONSTANTS, MOST_TERMS = 3, 40


Extremes: type[Any] = made(
    globals(),
    "Protocol",
    """
    Extremes: Minima and maxima of what may be nothing, within others, and sizes of sets.
        bounds: zoo.ZooBounds
        some: Set[zoo.Node]
        few: Set[zoo.Node]
        numbers: Set[Annotated[int, Integers(0, zoo.ZooBounds.most)]]
        limit: Annotated[int, Integers(0, zoo.ZooBounds.most)]
        lemma least: Of an empty range, with a default that no element is.
            numbers = range(self.limit)
            return min((i for i in numbers if i > 0), default=-1) <= max((i for i in numbers if i != 1), default=5)
        lemma within: One in the other, under a quantifier.
            return all(
                max((j for j in range(i) if min((k for k in range(j)), default=2) < j), default=self.limit) <= i
                for i in range(self.limit)
            )
        lemma of_several: Of numbers that are named one by one, of which any may be the one, or none.
            several = (self.limit - 1, 2 - self.limit, 1)
            return max((i for i in several if i in self.numbers), default=-1) < min(i + 1 for i in several)
        invariant sizes: Of sets that have none, one, two or more.
            return len(self.some) <= 1 or len(self.few & self.some) == 2 or len(self.few) != 0
        invariant sizes_of_numbers: Of sets whose limits differ.
            below = Set(i for i in range(self.limit) if i not in self.numbers)
            return len(self.numbers) <= 1 or len(below) == 2 or len(Set(i for i in range(self.limit))) != 0
    """,
)


KINDS = (Loops, Logs, Sets, Chosen, Extremes, Kip320Proof)


class Finite(Evaluators):
    """Computes terms in which integers without limits are those of NUMBERS, and definitions."""

    def _unlimited(self, term: Term) -> Evaluator:
        return lambda values, look: NUMBERS.stop

    def _pair(self, term: Term) -> Evaluator:
        return self(term.args[1])

    def members(self, count: Term, values: Values, look: Look) -> list[Any]:
        """Who is counted, in order."""
        bound, condition = bound_of(count), self(count.args[3])
        inside = self(bound.inside)
        every = NUMBERS if bound.variable.sort == INT else range(self.sizes[bound.variable.sort])
        here = ({**values, bound.variable: one} for one in every)
        return [one[bound.variable] for one in here if inside(one, look) and condition(one, look)]


def goals(reading: ParametricSemantics) -> Iterator[Term]:
    """Terms as they are proved: lemmas after each action."""
    members = [*reading.protocol.members("lemma"), *reading.protocol.members("invariant")]
    actions = [reading.action(member) for member in reading.protocol.members("action")]
    for view in (None, *(action.after for action in actions)):
        for member in members:
            yield reading.predicate(member, view).holds


def prepared(kind: type[Protocol]) -> tuple[Comparison, Finite, list[Term]]:
    """A protocol in which terms are computed, and some of its goals."""
    comparison = Comparison(kind(kind.bounds_type()()))
    terms = list(itertools.islice(goals(comparison.reading), MOST_TERMS))  # a rule may name identifiers of its own
    sizes = {sort: comparison.number(size) for sort, size in comparison.reading.domains.sizes.items()}
    return comparison, Finite({BOOL: 2, **sizes}), terms


def defined_by(define: Definitions) -> dict[str, tuple[Term, list[Term]]]:
    """What each function stands for that definitions have made, and its parameters: a leaf may be in a place of one."""
    found = {}
    for term, value in define._found.items():
        if term.op in ("extreme", "count"):
            places = {one: variable(f"at {n}", one.sort) for n, one in enumerate(value.args) if one.op != "var"}
            found[value.value.name] = (replaced(term, places), [places.get(one, one) for one in value.args])
    return found


def defining(finite: Finite, define: Definitions, known: Look) -> Look:
    """A state in which the functions of definitions are what they stand for."""
    meant = defined_by(define)

    def look(name: str, arguments: tuple[Any, ...]) -> Any:
        for number, which in enumerate(MEMBERS):
            if name.startswith(which):
                count, names = meant[name.removeprefix(which)]
                found = finite.members(count, dict(zip(names, arguments, strict=True)), known)
                return [*found, 0, 0][number]
        if name not in meant:
            return known(name, arguments)
        term, names = meant[name]
        return finite(term)(dict(zip(names, arguments, strict=True)), known)

    return look


@pytest.mark.parametrize("heads", [False, True], ids=["plain", "heads"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_definitions_are_true(kind: type[Protocol], heads: bool) -> None:
    comparison, finite, terms = prepared(kind)
    define = Definitions(comparison.reading.domains.sizes, heads)
    defined = [define(term) for term in terms]
    facts = [finite(fact) for fact in define.facts(defined)]
    pairs = [(finite(a), finite(b)) for a, b in zip(terms, defined, strict=True) if not a.free and a is not b]
    for _ in range(6):
        look = defining(finite, define, comparison.look(comparison.table(comparison.random_state())))
        assert all(fact({}, look) for fact in facts)
        assert all(plain({}, look) == new({}, look) for plain, new in pairs)


def constants(clauses: Sequence[Sequence[Term]]) -> list[Term]:
    """The constants that a goal was split with."""
    free = frozenset[Term]().union(*(part.free for clause in clauses for part in clause))
    return sorted(free, key=lambda one: str(one.value.name))


def every(names: Sequence[Term], sizes: Mapping[str, int]) -> Iterator[Values]:
    """Every choice of values."""
    ranges: list[Any] = [
        NUMBERS if one.sort == INT else (False, True) if one.sort == BOOL else range(sizes[one.sort]) for one in names
    ]
    for chosen in itertools.product(*ranges):
        yield dict(zip(names, chosen, strict=True))


def same(goal: Term, finite: Finite, looks: Sequence[Look], few: bool = False) -> bool:
    """Whether the parts of a goal are all true, of all constants, if and only if the goal is; False: not looked at."""
    clauses = split(goal, few)
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


@pytest.mark.parametrize("few", [False, True], ids=["fine", "few"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_parts_of_a_goal_are_the_goal(kind: type[Protocol], few: bool) -> None:
    comparison, finite, terms = prepared(kind)
    looks = [comparison.look(comparison.table(comparison.random_state())) for _ in range(3)]
    small = [term for term in terms if sum(1 for _ in subterms([term])) < 60]
    assert sum(same(term, finite, looks, few) for term in small) > 0


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
    assert same(goal, finite, looks, few=True)


# -- what many lemmas need ----------------------------------------------------------------------------------------

NARROW: dict[str, Term] = {
    "all that is one": forall([Bound(X)], implies(eq(X, A), f(X))),
    "all are one": forall([Bound(X)], and_(eq(X, A), f(X))),
    "one that is one": exists([Bound(X)], and_(eq(A, X), f(X))),
    "in limits": forall([BELOW], implies(eq(K, J), f(K))),
    "one in limits": exists([BELOW], and_(eq(K, add(J, constant(1))), f(K))),
    "a later one": forall([Bound(X), BELOW], implies(and_(eq(X, Y), f(X)), f(K))),
    "an earlier one": exists([BELOW, Bound(J, constant(0), add(K, constant(1)))], and_(eq(J, K), f(J))),
    "one after a later one": exists([BELOW, Bound(J, constant(0), K)], and_(eq(K, add(J, constant(1))), f(J))),
    "limits by one that is one": exists(
        [BELOW, Bound(J, K, constant(4))], and_(eq(K, apply(Symbol("n"), (), INT)), not_(f(J)))
    ),
    "each other": forall([Bound(X), Bound(Y)], implies(and_(eq(X, Y), f(X)), f(Y))),
    "itself": exists([BELOW], and_(eq(K, add(K, constant(0))), f(K))),
    "one and another": exists([Bound(X)], and_(eq(X, A), eq(X, Y))),
    "not one": exists([Bound(X)], and_(not_(eq(X, A)), f(X))),
    "one or another": exists([Bound(X)], or_(eq(X, A), f(X))),
    "nobody but": not_(exists([Bound(X)], and_(eq(X, A), forall([Bound(Y)], or_(not_(eq(Y, X)), f(Y)))))),
    "how many": le(count(Bound(X), and_(eq(X, A), exists([BELOW], and_(eq(K, J), f(K))))), J),
}


@pytest.mark.parametrize("what", NARROW)
def test_a_narrowed_term_made_by_hand_means_the_same(what: str) -> None:
    finite, term = Finite({N: 2}), NARROW[what]
    narrow = Narrowed()(term)
    names = sorted(term.free | narrow.free, key=lambda one: str(one.value.name))
    for table in itertools.product((False, True), repeat=6):
        for number in NUMBERS if "n()" in str(term) or " n" in str(term) else (0,):

            def look(name: str, at: tuple[Any, ...], t: Any = table, number: int = number) -> Any:
                return number if name == "n" else t[at[0] % 6]

            for values in every(names, finite.sizes):
                assert bool(finite(term)(values, look)) == bool(finite(narrow)(values, look))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_narrowed_terms_mean_the_same(kind: type[Protocol]) -> None:
    comparison, finite, terms = prepared(kind)
    narrow = Narrowed()
    pairs = [(finite(term), finite(narrow(term))) for term in terms if not term.free]
    for _ in range(6):
        look = comparison.look(comparison.table(comparison.random_state()))
        assert all(bool(plain({}, look)) == bool(new({}, look)) for plain, new in pairs)


def witnessing(finite: Finite, witnessed: Witnessed, known: Look) -> Look:
    """A state in which a witness is the first thing of which what it bears witness to is true."""

    @functools.cache
    def look(name: str, arguments: tuple[Any, ...]) -> Any:
        if name not in witnessed.meant:
            return known(name, arguments)
        free, bound, holds = witnessed.meant[name]
        counted = count(bound, holds)
        return next(iter(finite.members(counted, dict(zip(free, arguments, strict=True)), look)), 0)

    return look


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Sets], ids=lambda kind: kind.__name__)
def test_a_formula_with_witnesses_is_true_where_the_formula_is(kind: type[Protocol]) -> None:
    """So that what refutes the one refutes the other; and it is false where that is."""
    comparison, finite, terms = prepared(kind)
    witnessed = Witnessed()
    formulas = [one for term in terms if not term.free for one in (term, not_(term))]
    pairs = [(finite(formula), finite(witnessed(formula))) for formula in formulas]
    assert witnessed.meant
    for _ in range(3):
        known = comparison.look(comparison.table(comparison.random_state()))
        look = witnessing(finite, witnessed, known)
        assert all(bool(plain({}, known)) == bool(named({}, look)) for plain, named in pairs)


def naming(finite: Finite, names: Names, known: Look, parameters: Values) -> Look:
    """A state in which names mean what they stand for, in a step with these parameters."""

    def look(name: str, arguments: tuple[Any, ...]) -> Any:
        if name not in names._meant:
            return known(name, arguments)
        head, value = names._meant[name]
        return finite(value)({**parameters, **dict(zip(head.args, arguments, strict=True))}, look)

    return look


@pytest.mark.parametrize("kind", [*KINDS, Windows], ids=lambda kind: kind.__name__)
def test_names_mean_what_they_stand_for(kind: type[Protocol]) -> None:
    """Guards, failures, and every leaf after a step, for choices of its parameters."""
    comparison, finite, _ = prepared(kind)
    names = Names(Narrowed())
    for member in kind.members("action"):
        step = comparison.reading.action(member)
        plain = [*(guard.condition for guard in step.guards), *(failure.condition for failure in step.failures)]
        conditions = {condition: names(condition) for condition in plain}
        after = names.after(step.name, step.after, step.changed, comparison.reading.leaves)
        leaves = {}
        for path in sorted(step.changed):
            here = [bound.variable for bound in places(comparison.reading.leaves[path], comparison.reading.state())]
            leaves[path] = here, finite(step.after.leaves[path](here)), finite(after.leaves[path](here))
        said = names.facts([*conditions.values(), *(after.leaves[path](here) for path, (here, *_) in leaves.items())])
        instances = [one for one in comparison.protocol.instances if one.action.name == member.name]
        for instance in instances[:: 1 + len(instances) // 6]:
            values, sets = comparison._given(step, instance.arguments)
            known = comparison.look({**comparison.table(comparison.random_state()), **sets})

            look = naming(finite, names, known, values)
            assert all(finite(old)(values, look) == finite(new)(values, look) for old, new in conditions.items())
            for here, before, now in leaves.values():
                for at in every(here, finite.sizes):
                    assert before({**values, **at}, look) == now({**values, **at}, look)
            assert all(finite(fact)(values, look) for fact in said)


def test_two_who_make_a_term_at_once_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of other processes are read in threads: which terms are the same is told by their identity."""
    found: list[Term] = []
    free = making._free

    def made_meanwhile(term: Term) -> frozenset[Term]:
        monkeypatch.setattr(making, "_free", free)
        found.append(apply(Symbol("made twice"), (), INT))
        return free(term)

    monkeypatch.setattr(making, "_free", made_meanwhile)
    found.append(apply(Symbol("made twice"), (), INT))
    assert found[0] is found[1] is apply(Symbol("made twice"), (), INT)


# -- the solver ---------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[list[Term], Term]] = {
    "of all in limits, so of all": ([forall([BELOW], f(K))], f(J)),
    "of all in limits, so of the one after": ([forall([BELOW], f(K))], f(constant(3))),
    "of one, so of one in limits": ([f(J)], exists([BELOW], f(K))),
    "of one in limits, so of the first": ([exists([BELOW], f(K))], f(constant(0))),
    "of one, so of another": ([f(X)], f(Y)),
    "one chosen": ([lt(J, constant(5))], le(ite(f(X), J, constant(9)), constant(5))),
    "one chosen of two": ([], le(ite(f(X), ite(f(Y), constant(0), constant(1)), constant(0)), constant(0))),
    "chosen where nothing is known of it": (
        [or_(f(X), le(J, constant(5)))],
        le(ite(f(X), J, constant(2)), constant(5)),
    ),
    "the contrary": ([f(A)], not_(f(A))),
}
RIGHT: dict[str, tuple[list[Term], Term]] = {
    "of all in limits": ([forall([BELOW], f(K)), le(constant(0), J), lt(J, constant(3))], f(J)),
    "of one in limits": ([f(J), le(constant(0), J), lt(J, constant(3))], exists([BELOW], f(K))),
    "chosen": ([le(J, constant(5))], le(ite(f(X), J, constant(2)), constant(5))),
}


@pytest.mark.parametrize("many", [False, True], ids=["few lemmas", "many lemmas"])
@pytest.mark.parametrize("part", ["lower", "oracle", "steep"])
@pytest.mark.parametrize("what", [*WRONG, *RIGHT])
def test_no_way_proves_what_is_wrong(what: str, part: Part, many: bool) -> None:
    hypotheses, goal = {**WRONG, **RIGHT}[what]
    question = Question(tuple(hypotheses), (), (goal,), (), (TRUE,) if many else (), many)
    assert Climber(Effort(20_000, part)).answer(question).proved == (what in RIGHT)


@pytest.mark.parametrize("part", ["lower", "oracle", "steep"])
@pytest.mark.parametrize("what", RIGHT)
def test_what_is_proved_is_proved_again_from_its_hint(what: str, part: Part) -> None:
    hypotheses, goal = RIGHT[what]
    question = Question(tuple(hypotheses), (f(A), f(X)), (goal,), ())
    answer = Climber(Effort(20_000, part, certified=True)).answer(question)
    assert answer.hint is not None
    again = Climber(Effort(20_000, "hint")).answer(replace(question, hint=answer.hint))
    assert again.proved
    assert again.rung == "core"


@pytest.mark.parametrize("name", ["tag after step", "!tag after step", "tag first x", "seen int", "?x?y", "witness 0"])
def test_no_hint_says_what_a_function_is(name: str) -> None:
    """Whatever functions and kinds a certificate names: what is tried is true of nothing because of that."""
    holds = apply(Symbol(name), (J,), BOOL) if name[0] not in "?!" else apply(Symbol(name[1:]), (J,), BOOL)
    number = apply(Symbol(name, "after step"), (), INT)
    twice = apply(Symbol(name, "x"), (number,), INT)
    question = Question((forall([BELOW], f(K)),), (), (holds,), ())
    kinds = ("after step", "first x", name, "", "x", None)
    for term in (J, number, twice, holds, add(number, twice)):
        hint = Hint((0,), tuple((term, kind) for kind in kinds))
        assert not Climber(Effort(20_000, "hint")).answer(replace(question, hint=hint)).proved


@pytest.mark.parametrize("likely", [0, 1, 2])
def test_the_oracle_is_asked_with_all_hypotheses_where_the_likely_ones_do_not_suffice(likely: int) -> None:
    one, other = f(A), implies(f(A), f(X))
    question = Question((f(Y),), (one, other), (f(X),), (), (one, other)[:likely], likely > 0)
    answer = Climber(Effort(20_000, "oracle")).answer(question)
    assert answer.proved
    assert answer.hint is not None
    assert answer.hint.core == (1, 2)


@pytest.mark.parametrize("what", WRONG)
def test_no_hint_proves_what_is_wrong(what: str) -> None:
    """Whatever a certificate says: all hypotheses and any terms, places that there are not, another function's name."""
    hypotheses, goal = WRONG[what]
    question = Question(tuple(hypotheses), (), (goal,), ())
    core = tuple(range(len(hypotheses)))
    terms = tuple((term, None) for term in (A, X, Y, J, constant(0), constant(5), f(A)))
    other = apply(Symbol(f(A).value.name, "another kind"), (A,), f(A).sort)
    for hint in (
        Hint(core, None),
        Hint(core, terms),
        Hint(core, terms, witnesses=True),
        Hint((*core, 7), terms),
        Hint((-1,), terms),
        Hint(core, ((other, None),)),
    ):
        assert not Climber(Effort(20_000, "hint")).answer(replace(question, hint=hint)).proved


def test_an_answer_is_kept_for_the_same_question_only(monkeypatch: pytest.MonkeyPatch) -> None:
    questions = [
        Question((f(A),), (), (f(X),), ()),
        Question((), (f(A),), (f(X),), ()),
        Question((f(A),), (), (f(Y),), ()),
        Question((), (f(A),), (f(X),), (), (f(A),)),
        Question((), (f(Y),), (f(X),), ()),
        Question((), (), (f(X),), ()),
    ]

    def keys() -> set[object]:
        return {
            asking.Asking(partial(one_by_one, Climber), True, unit)._key(question, part)
            for unit in (1, 2)
            for part in ("lower", "steep")
            for question in questions
        }

    before = keys()
    assert len(before) == 4 * len(questions)
    monkeypatch.setattr(engine, "PARTS", {**engine.PARTS, "unbounded proofs": engine.PARTS["unbounded proofs"][1:]})
    assert not before & keys()
