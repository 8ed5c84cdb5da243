"""What is said of sizes of sets: it is true of all small ones, and enough to argue with majorities."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from epochal.checker.parametric.compared import Evaluators
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
    constant,
    count,
    eq,
    exists,
    forall,
    implies,
    le,
    lt,
    not_,
    scale,
    substitute,
    subterms,
    variable,
)
from epochal.checker.unbounded.ladder import Climber, Effort
from epochal.checker.unbounded.obligations import Definitions, UnboundedPlan
from epochal.checker.unbounded.pools import ground
from epochal.checker.unbounded.question import Question
from epochal.checker.unbounded.sizes import MEMBERS, About, is_size, sized
from tests.checker.unbounded.test_proof import labels, prove
from tests.zoo.rows import Row, made, rows

VOTER = IDENTIFIER + "v"
ALL = apply(Symbol("#voters"), (), INT)
SOMEBODY = Bound(variable("somebody", VOTER))
UNIT = 100_000


def is_in(name: str, one: Term) -> Term:
    """That an identifier is in a set of the state."""
    return apply(Symbol(name), (one,), BOOL)


def size(name: str) -> Term:
    """How many are in it."""
    return count(SOMEBODY, is_in(name, SOMEBODY.variable))


def said(*sets: str) -> list[Term]:
    """All that a question about these sets is given."""
    define = Definitions({VOTER: ALL})
    terms = [define(le(size(name), constant(0))) for name in sets]
    return [*define.facts(terms), *define.compared(terms, About(ground(terms, ()), ground(terms, ()), ()))]


@pytest.mark.parametrize("many", range(1, 7))
def test_all_that_is_said_is_true_of_every_two_sets(many: int) -> None:
    """The functions that stand for sizes are given what counting says."""
    facts = [Evaluators({VOTER: many})(fact) for fact in said("a", "b")]
    assert len(facts) == 2 * 6 + 3
    names = {sized(size(name))[0].symbol.name: name for name in ("a", "b")}
    subsets = [set(s) for k in range(many + 1) for s in itertools.combinations(range(many), k)]
    for a, b in itertools.product(subsets, subsets):
        state = {"a": a, "b": b}

        def look(name: str, arguments: tuple[Any, ...], state: dict[str, set[int]] = state) -> Any:
            if name == "#voters":
                return many
            for number, which in enumerate(MEMBERS):
                if name.startswith(which):
                    return [*sorted(state[names[name.removeprefix(which)]]), 0, 0][number]
            return len(state[names[name]]) if name in names else arguments[0] in state[name]

        assert all(fact({}, look) for fact in facts), (a, b)


def test_what_is_said_of_sets_of_numbers_is_about_their_own_limits() -> None:
    """One lies in 0..3, the other in 2..5, and outside of these nobody asks."""
    limits = {"a": range(4), "b": range(2, 6)}
    number = variable("number", INT)
    terms = {
        name: count(Bound(number, constant(one.start), constant(one.stop)), apply(Symbol(name), (number,), BOOL))
        for name, one in limits.items()
    }
    define = Definitions()
    known = [define(le(term, constant(0))) for term in terms.values()]
    about = About(ground(known, ()), ground(known, ()), ())
    facts = [Evaluators({})(fact) for fact in (*define.facts(known), *define.compared(known, about))]
    assert len(facts) == 2 * 4 + 2
    names = {sized(term)[0].symbol.name: name for name, term in terms.items()}
    for a, b in itertools.product(*(itertools.product((False, True), repeat=6) for _ in limits)):
        state = {"a": a, "b": b}
        members = {name: [i for i in limits[name] if state[name][i]] for name in limits}

        def look(name: str, at: tuple[Any, ...], state: Any = state, members: Any = members) -> Any:
            for place, which in enumerate(MEMBERS):
                if name.startswith(which):
                    return [*members[names[name.removeprefix(which)]], 0, 0][place]
            return len(members[names[name]]) if name in names else state[name][at[0]]

        assert all(fact({}, look) for fact in facts), (a, b)


MAJORITY = {name: lt(ALL, scale(2, size(name))) for name in ("a", "b")}
IN_BOTH = exists([SOMEBODY], and_(is_in("a", SOMEBODY.variable), is_in("b", SOMEBODY.variable)))
A_IN_B = forall([SOMEBODY], implies(is_in("a", SOMEBODY.variable), is_in("b", SOMEBODY.variable)))
EVERYBODY_IN_A = forall([SOMEBODY], is_in("a", SOMEBODY.variable))
NOBODY_IN_A = forall([SOMEBODY], not_(is_in("a", SOMEBODY.variable)))


def follows(hypotheses: Sequence[Term], goal: Term) -> bool:
    """Whether Z3 sees that it does, for any number of voters."""
    define = Definitions({VOTER: ALL})
    own = [le(constant(1), ALL), *map(define, hypotheses)]
    goal = define(goal)
    facts = define.facts([*own, goal])
    others = define.compared([*own, goal], About(ground([goal], ()), ground([goal, *own], ()), ()))
    question = Question((*own, *facts), tuple(others), (goal,), ())
    return Climber(Effort(UNIT, "lower")).answer(question).proved


def test_majorities() -> None:
    both = [MAJORITY["a"], MAJORITY["b"]]
    assert follows(both, IN_BOTH)
    assert follows([MAJORITY["a"], A_IN_B], MAJORITY["b"])
    assert follows([EVERYBODY_IN_A], MAJORITY["a"])
    assert follows([NOBODY_IN_A], not_(MAJORITY["a"]))


def test_what_is_no_majority_says_nothing() -> None:
    half = le(ALL, scale(2, size("b")))
    assert not follows([MAJORITY["a"]], IN_BOTH)
    assert not follows([half, le(ALL, scale(2, size("a")))], IN_BOTH)
    assert not follows([MAJORITY["b"], A_IN_B], MAJORITY["a"])
    assert not follows([TRUE], MAJORITY["a"])
    assert follows([MAJORITY["a"], half], IN_BOTH)


def test_the_same_set_under_other_names_is_one() -> None:
    epoch, other = (variable(name, INT, "max_epoch") for name in ("e", "f"))
    voter = variable("w", VOTER)

    def elected(at: Term, who: Term) -> Term:
        inner = Bound(variable(f"i of {who}", INT), constant(0), at)
        said = exists([inner], eq(apply(Symbol("cast"), (inner.variable, who), INT), at))
        return count(Bound(who), said)

    one, places = sized(elected(epoch, SOMEBODY.variable))
    two, elsewhere = sized(elected(add(other, constant(1)), voter))
    assert places == [epoch]
    assert one != two
    assert sized(elected(other, voter))[0] == one
    assert elsewhere == [other]
    assert substitute(one.at([other]).condition, {}) == sized(elected(other, voter))[0].at([other]).condition


Ballot: type[Any] = made(
    globals(),
    "Protocol",
    """
    BallotBounds < Bounds: How many vote.
        voters: int = bound(3, least=1, most=5, help="voters")
    Voter = Annotated[Identifier, Identifiers("v", BallotBounds.voters)]
    Ballot: Everybody has a vote, and who has the votes of a majority is elected.
        name = "ballot"
        bounds: BallotBounds
        cast: Map[Voter, Voter | None]
        elected: Set[Voter]
        action vote(v: Voter, c: Voter): Once.
            require(self.cast[v] is None)
            self.cast[v] = c
            if self.is_enough(Set(w for w in self.cast if self.cast[w] == c)):
                self.elected |= {c}
        def is_enough(self, voters: Set[Identifier]) -> bool:
            # More than half.
            return 2 * len(voters) > self.bounds.voters
        lemma has_a_majority: Who is elected has the votes.
            return all(self.is_enough(Set(w for w in self.cast if self.cast[w] == c)) for c in self.elected)
        invariant one_is_elected: Two majorities have a voter in common.
            return all(a == b for a in self.elected for b in self.elected)
    """,
)


WRONG = rows(
    globals(),
    "Ballot",
    """
    Half: the lemmas imply one_is_elected
        # Two halves need have nobody in common.
        def is_enough(self, voters: Set[Identifier]) -> bool:
            return 2 * len(voters) >= self.bounds.voters
    TwiceVoting: vote preserves has_a_majority
        # The first vote does not count any more, but whoever had it stays elected.
        def vote(self, v: Voter, c: Voter) -> None:
            self.cast[v] = c
            if self.is_enough(Set(w for w in self.cast if self.cast[w] == c)):
                self.elected |= {c}
    """,
)


def test_a_ballot_is_proved_for_any_number_of_voters() -> None:
    result = prove(Ballot)
    assert {cell.verdict for cell in result.cells} == {"proved"}


@pytest.mark.long
@pytest.mark.parametrize("row", WRONG.values(), ids=WRONG)
def test_a_ballot_without_a_rule_is_not(row: Row) -> None:
    result = prove(row.kind)
    assert labels(result.of("counterexample")) == [row.expected]
    assert not result.of("unknown")


Counting: type[Any] = made(
    globals(),
    "Protocol",
    """
    CountingBounds < Bounds: How many voters.
        voters: int = bound(3, least=1, most=4, help="voters")
    Counting: A variable that is called like what stands for sizes.
        bounds: CountingBounds
        count: Annotated[int, Integers(0, CountingBounds.voters)]
        some: Set[Annotated[Identifier, Identifiers("v", CountingBounds.voters)]]
        action add: Beside a size that its lemma speaks of.
            require(self.count < self.bounds.voters)
            self.count += 1
        lemma counted: False after a step.
            return self.count <= len(self.some)
    """,
)


def test_a_variable_that_is_called_count_is_no_size() -> None:
    (cell,) = (
        one
        for one in UnboundedPlan(Counting, (), many=True).obligations()
        if one.row == "add" and one.column == "counted"
    )
    (question,) = cell.questions
    assert any(is_size(one) for one in subterms(question.goal))
    assert not Climber(Effort(20_000, "lower")).answer(question).proved
