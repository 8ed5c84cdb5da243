"""One question to Z3, asked in several ways, the cheap ones first, until one of them has the answer.

No way answers yes to what is not so: they differ in which hypotheses are given, and in how quantifiers are
instantiated. Effort is counted in Z3's resource units alone, so that the answer is the same on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import z3

from ..base.machine import children_cpu_seconds
from ..parametric.terms import (
    BOOL,
    FALSE,
    TRUE,
    Term,
    not_,
    replaced,
    subterms,
)
from ..smt.context import new_context
from ..solver.answer import check, leave_interrupts_alone
from ..workers.pool import Interrupted
from .oracle import Hint, Oracle, OracleLost, can_be_told
from .pools import Tried, members, pool, spoken_of
from .question import Clause, Question
from .witnesses import witnessed
from .z3_terms import HYPOTHESIS, Style, Z3Terms

Plain = Literal["self", "patterns", "leaves", "layers", "ground", "wide", "seed", "models", "cases"]
Rung = Plain | Literal["own", "likely", "likely members", "likely wide", "layers wide", "core"]
"""A way: `core` is the one that a hint shows."""

LADDER: tuple[tuple[Rung, int], ...] = (
    ("self", 1),
    ("ground", 1),
    ("patterns", 1),
    ("leaves", 1),
    ("layers", 1),
    ("wide", 2),
    ("self", 4),
    ("ground", 4),
    ("wide", 8),
    ("patterns", 8),
    ("leaves", 8),
    ("layers", 8),
    ("cases", 8),
    ("wide", 32),
    ("seed", 32),
    ("cases", 32),
    ("patterns", 64),
    ("models", 32),
)
"""The ways, and how many parts of the unit of effort each may spend."""

OF_MANY: tuple[tuple[Rung, int], ...] = (
    ("self", 1),
    ("own", 1),
    ("likely", 4),
    ("likely wide", 8),
    ("likely members", 8),
    ("likely", 32),
    ("likely wide", 32),
    ("layers wide", 64),
)
"""The same, where there are many hypotheses, of which some are likely."""

STEEPEST = max(share for _, share in LADDER)
"""The parts that the steepest way may spend: the whole limit."""

LOWER = 8
"""What spends no more than this belongs to the lower part of the ladder. What is proved there, or is wrong and has a
counterexample within bounds, never comes to the upper part, which is steep."""

HARD_CASES, MOST_CONDITIONS = 4, 6
"""Cases may spend so many times what one may, and so many conditions are told apart, one after the other."""


Part = Literal["hint", "lower", "oracle", "steep"]
"""What a question is tried with: its hint, the lower part of the ladder, a hint that cvc5 gives, or the steep part."""

ORACLE = 2
"""How many of cvc5's resource units there are for each of the unit of effort: some six seconds in all."""


@dataclass(frozen=True)
class Answer:
    """Whether a question is answered with yes, in which way, and what that took.

    `resources` are the units of the way that had the answer, which are the same whatever was tried before; of all ways
    if none had it. `seconds` of processor are of all that were tried. `hint` is what suffices, where it is known.
    `lost` is an answer for which cvc5 was asked, and was ended before it had said all: another time it may be another.
    """

    proved: bool
    rung: str
    resources: int
    seconds: float
    hint: Hint | None = None
    lost: bool = False


@dataclass(frozen=True)
class Effort:
    """How hard questions are tried: in resource units, and with what. If `certified`, a proof comes with a hint."""

    unit: int
    part: Part
    certified: bool = False


class Climber:
    """Answers questions from hints, or by going up a part of the ladder.

    Another thread may interrupt it, and then it is of no use any more.
    """

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._oracle = Oracle()
        self._asked: _Asked | None = None
        self._interrupted = self._lost = False

    def answer(self, question: Question) -> Answer:
        """The answer to a question. Raises Interrupted."""
        started, spent, self._lost = _used(), 0, False
        for rung, share, hint in self._ways(question):
            proved, resources = self._tried(question, rung, share * self._effort.unit, hint)
            spent += resources
            if proved:
                if hint is None and self._effort.certified:
                    hint = self._certified(question, rung, share * self._effort.unit)
                return Answer(True, told((rung, share)), resources, _used() - started, hint, self._lost and not hint)
        return Answer(False, "", spent, _used() - started, lost=self._lost)

    def interrupt(self) -> None:
        """Let no question be answered any more: `answer` raises Interrupted. To be repeated until it has."""
        self._interrupted = True
        self._oracle.interrupt()
        if self._asked is not None:
            self._asked.context.interrupt()

    def _ways(self, question: Question) -> Iterator[tuple[Rung, int, Hint | None]]:
        """The ways to try, how many parts of the unit of effort each may spend, and the hint of the first kind."""
        part = self._effort.part
        if part == "hint":
            yield "core", STEEPEST, question.hint
        elif part == "oracle":
            yield from (("core", STEEPEST, hint) for hint in self._foretold(question))
        else:
            ways = OF_MANY if question.many else LADDER
            yield from ((rung, share, None) for rung, share in ways if (share > LOWER) == (part == "steep"))

    def _foretold(self, question: Question) -> Iterator[Hint]:
        """What cvc5 says of the likely hypotheses, if some are, and then of all, if it says nothing of those."""
        own, likely = len(question.own), set(question.likely)
        everything = range(own + len(question.others))
        first = [n for n in everything if n < own or question.others[n - own] in likely]
        for places in (first, everything) if 0 < len(likely) < len(question.others) else (everything,):
            told = False
            for hint in self._of_oracle(question, places):
                told = True
                yield hint
            if told:
                return

    def _of_oracle(self, question: Question, places: Sequence[int]) -> Iterator[Hint]:
        """What cvc5 says of some hypotheses: as it is, and with the constants of the question and their leaves as well.

        cvc5 does away with variables that have one value only, and names no terms for them.
        """
        everything = [*question.own, *question.others]
        given, goal = witnessed([everything[n] for n in places], question.goal)
        for minima in (False, True):
            seen = spoken_of(question, minima)
            try:
                found = self._oracle.refutation(given, goal, seen, self._effort.unit * ORACLE)
            except OracleLost:
                self._lost = True
                continue
            if self._interrupted:
                raise Interrupted
            if found is None:
                continue
            used, terms = found
            core, tried = tuple(places[n] for n in used), tuple((term, None) for term in terms)
            yield Hint(core, tried, witnesses=True)
            more = pool([*question.goal, *question.own], question.leaves, True, question.many)
            yield Hint(core, (*tried, *_told_of(more)), witnesses=True)

    def _tried(self, question: Question, rung: Rung, rlimit: int, hint: Hint | None) -> tuple[bool, int]:
        asked = self._asked = _Asked(question)
        found = (False, 0) if self._interrupted else asked.way(rung, rlimit, hint)
        if self._interrupted:
            raise Interrupted
        return found

    def _certified(self, question: Question, rung: Rung, rlimit: int) -> Hint | None:
        """A hint that suffices for what was proved in another way, the cheapest that is found; None if none is."""
        asked = self._asked = _Asked(question)
        core, tried = asked.used(rung, rlimit)
        for hint in (Hint(core, None), Hint(core, _told_of(tried))):
            if self._tried(question, "core", self._effort.unit, hint)[0]:
                return hint
        for hint in self._of_oracle(question, core):
            if self._tried(question, "core", self._effort.unit * LOWER * 2, hint)[0]:
                return hint
        return None


def _told_of(tried: Iterable[Tried]) -> tuple[Tried, ...]:
    """Those terms that a hint may have."""
    return tuple(one for one in tried if can_be_told(one[0]))


def _used() -> float:
    """Processor seconds of this process and of those that asked cvc5 for it."""
    return time.process_time() + children_cpu_seconds()


def told(rung: tuple[Rung, int]) -> str:
    """A way and its share of effort, as reports name it."""
    return rung[0] if rung[0] == "core" else f"{rung[0]} {rung[1]}"


@dataclass(frozen=True)
class _Way:
    """What a way gives to Z3: hypotheses, terms to try them at, and how quantifiers have patterns.

    `seen` are terms that Z3 is to know of where it finds terms by its own patterns.
    """

    style: Style
    hypotheses: tuple[Term, ...]
    tags: tuple[Tried, ...] = ()
    seen: tuple[Term, ...] = ()


class _Asked:
    """A question to be asked in one way, in a context of its own: nothing asked before has a part in the answer."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.context = new_context()

    def way(self, rung: Rung, rlimit: int, hint: Hint | None = None) -> tuple[bool, int]:
        """Whether the question is answered in one way, and the resources that took."""
        if rung == "core":
            return (False, 0) if hint is None else self._from(hint, rlimit)
        if rung == "cases":
            return self._by_cases(rlimit)
        return self._refuted(self._given(rung), self.question.goal, rlimit, rung)

    def used(self, rung: Rung, rlimit: int) -> tuple[tuple[int, ...], tuple[Tried, ...]]:
        """The places of the hypotheses that Z3 used in a way that has the answer, and the terms that it tried them at.

        All hypotheses, where it does not say.
        """
        asked = self.question
        everything = [*asked.own, *asked.others]
        way = self._given("wide" if rung == "cases" else rung)
        core = dict[Term, None]()
        self._refuted(way, asked.goal, rlimit, rung, core)
        places = [n for n, one in enumerate(everything) if not core or one in core]
        return tuple(places), way.tags or tuple(self._pool(asked.goal, wide=True))

    def _given(self, rung: Rung) -> _Way:
        asked = self.question
        everything = (*asked.own, *asked.others)
        if rung == "self":
            return _Way("plain", asked.own)
        if rung in ("patterns", "seed", "models"):
            return _Way("plain", everything)
        if rung == "leaves":
            return _Way("plain", everything, seen=tuple(spoken_of(asked, minima=False)))
        if rung in ("ground", "wide"):
            return _Way("tagged", everything, tuple(self._pool(asked.goal, rung == "wide")))
        if rung == "layers":
            single = [shape for shape in asked.leaves if not shape.arguments]
            return _Way("layered", everything, tuple(pool(asked.goal, single, True, asked.many)))
        tried = self._pool(asked.goal, rung == "own" or rung.endswith("wide"))
        tried += members([*asked.own, *asked.goal]) if rung == "likely members" else []
        others = () if rung == "own" else asked.likely if rung.startswith("likely") else asked.others
        return _Way("layered", (*asked.own, *others), tuple(tried))

    def _from(self, hint: Hint, rlimit: int) -> tuple[bool, int]:
        """Z3 alone, with some hypotheses: with its own patterns, or at the terms of a hint, whatever these may be."""
        everything = [*self.question.own, *self.question.others]
        if not all(0 <= n < len(everything) for n in hint.core):
            return False, 0  # it is of another question
        given, goal = tuple(everything[n] for n in hint.core), self.question.goal
        if hint.terms is None:
            return self._refuted(_Way("plain", given), goal, rlimit, "core")
        if hint.witnesses:
            given, goal = witnessed(given, goal)
        functions = {one.value for one in subterms([*given, *goal]) if one.op == "app"}
        functions |= {shape.symbol for shape in self.question.leaves}
        terms = [
            (term, kind)
            for term, kind in hint.terms
            if all(one.op != "app" or one.value in functions for one in subterms([term]))
        ]
        tags = tuple((term, kind) for term, kind in terms if kind is not None)
        own = [term for term, kind in terms if kind is None and term.sort != BOOL]
        return self._refuted(_Way("tagged", given, tags), goal, rlimit, "core", as_they_are=own)

    def _pool(self, goal: Clause, wide: bool) -> list[Tried]:
        return pool([*goal, *self.question.own], self.question.leaves, wide, self.question.many)

    def _by_cases(self, rlimit: int) -> tuple[bool, int]:
        """Every way in which the step decides is a question of its own."""
        asked, spent = self.question, 0
        if not any(_decided(asked.goal)):
            return False, 0
        seen = tuple(spoken_of(asked, minima=False))
        for case, goal in _cases(asked.goal):
            hypotheses = (*asked.own, *asked.others, *case)
            ways = (_Way("tagged", hypotheses, tuple(self._pool(goal, wide))) for wide in (False, True))
            for way in (_Way("plain", hypotheses, seen=seen), *ways):
                proved, resources = self._refuted(way, goal, rlimit, "cases")
                spent += resources
                if proved:
                    break
            if not proved or spent > rlimit * HARD_CASES:
                return False, spent
        return True, spent

    def _refuted(
        self,
        way: _Way,
        goal: Clause,
        rlimit: int,
        rung: Rung,
        core: dict[Term, None] | None = None,
        as_they_are: Iterable[Term] = (),
    ) -> tuple[bool, int]:
        """Whether the hypotheses are incompatible with every part of the goal being false.

        `core` takes up which of them were used. Terms `as_they_are` are tried as what they are.
        """
        terms = Z3Terms(self.context, way.style)
        solver = z3.SimpleSolver(ctx=self.context)
        leave_interrupts_alone(solver)
        solver.set("rlimit", rlimit)
        solver.set("mbqi", rung == "models")
        solver.set("random_seed", 7 if rung == "seed" else 0)
        names: dict[str, Term] = {}
        for number, one in enumerate(way.hypotheses):
            if core is None:
                solver.add(terms.hypothesis(one))
            else:
                solver.assert_and_track(terms.hypothesis(one), f"{HYPOTHESIS}{number}")
                names[f"{HYPOTHESIS}{number}"] = one
        for part in goal:
            solver.add(terms(not_(part)))
        for term, kind in (*way.tags, *(tried for one in as_they_are for tried in terms.as_it_is(one))):
            solver.add(terms.tried(term, kind))
        for term in way.seen:
            solver.add(terms.seen(term))
        before = _resources(solver)
        proved = check(solver) == z3.unsat
        if proved and core is not None:
            core |= dict.fromkeys(names[str(one)] for one in solver.unsat_core())
        return proved, _resources(solver) - before


def _resources(solver: z3.Solver) -> int:
    return next((int(value) for key, value in solver.statistics() if key == "rlimit count"), 0)


def _cases(goal: Clause, known: tuple[Term, ...] = ()) -> Iterator[tuple[tuple[Term, ...], Clause]]:
    """The ways in which conditions decide what a goal is, as far as it does not become true, and what it is then."""
    condition = next(_decided(goal), None) if len(known) < MOST_CONDITIONS else None
    if TRUE in goal:
        return
    if condition is None:
        yield known, goal
        return
    for case, value in ((condition, TRUE), (not_(condition), FALSE)):
        yield from _cases(tuple(replaced(part, {condition: value}) for part in goal), (*known, case))


def _decided(goal: Clause) -> Iterator[Term]:
    """The conditions by which the values in a goal are chosen, part by part."""
    seen: dict[Term, None] = {}
    constants: frozenset[Term] = frozenset().union(*(one.free for one in goal))
    for term in subterms(goal):
        if term.op == "ite" and all(one.op not in ("forall", "exists") for one in subterms([term.args[0]])):
            for part in term.args[0].args if term.args[0].op == "and" else (term.args[0],):
                if part.sort == BOOL and part.free <= constants:
                    seen[part] = None
    yield from seen
