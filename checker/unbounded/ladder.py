"""One question to Z3, asked in several ways, the cheap ones first, until one of them has the answer.

No way answers yes to what is not so: they differ in which hypotheses are given, and in how quantifiers are
instantiated. Effort is counted in Z3's resource units alone, so that the answer is the same on every machine.
"""

from __future__ import annotations

import hashlib
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import z3

from ..parametric.leaves import LeafShape
from ..parametric.terms import BOOL, FALSE, INT, TRUE, Symbol, Term, bound_of, kind_of, not_, rebuilt, subterms, sure
from ..solver.answer import check, leave_interrupts_alone
from ..workers.pool import Interrupted
from .pools import Clause, Tried, members, pool

# -- z3 terms ---------------------------------------------------------------------------------------------------------
# Terms as Z3 has them, in one context.
#
# With `tagged` every quantifier is instantiated by hand: it has the pattern of a tag for each of its variables, an
# uninterpreted predicate that is asserted of the ground terms which are to be tried. Whatever a tag means, a formula
# with it follows from the one without where the tag is true of everything, so what is refuted with tags is refuted.
#
# A specification calls variables, fields, actions and parameters what it likes, and the prover makes names of its own.
# To Z3 a constant is its name, and a quantifier binds whatever is called like its variable. So variables have names
# that no function has (`VARIABLE`), and each is called by all that tells it from others.
#
# In layers, what is known to exist by a hypothesis is tried in the inner quantifiers only, and not in the outermost
# ones of a hypothesis: otherwise each such thing would make more of them, without end.

Style = Literal["plain", "tagged", "layered"]
"""Whether quantifiers have Z3's patterns or tags, and whether these are in layers."""

FIRST = "first "
"""What the tags of the first layer are called."""

VARIABLE = "?"
"""How the names of variables begin, and those of no function."""


class Z3Terms:
    """Makes Z3's terms of terms, each once."""

    def __init__(self, context: z3.Context, style: Style) -> None:
        self.context, self.tagged, self.layered = context, style != "plain", style == "layered"
        self._known: dict[Term, Any] = {}
        self._functions: dict[str, Symbol] = {}
        self._sorts: dict[str, Any] = {BOOL: z3.BoolSort(context), INT: z3.IntSort(context)}

    def __call__(self, term: Term) -> Any:
        """The term for Z3."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._made(term)
        return found

    def hypothesis(self, term: Term) -> Any:
        """The same, of what is given: in layers, its outermost quantifiers have tags of the first layer."""
        if not self.layered or term.op not in ("forall", "and") or term.value is not None:
            return self(term)
        if term.op == "and":
            return z3.And(*map(self.hypothesis, term.args))
        return self._quantified(term, layer=FIRST)

    def tried(self, term: Term, kind: str) -> Any:
        """That something is tried, in every layer."""
        tag = self.tag(term, kind)
        return z3.And(self.tag(term, kind, FIRST), tag) if self.layered else tag

    def sort(self, name: str) -> Any:
        """A sort; those of identifiers have nothing in common."""
        if name not in self._sorts:
            self._sorts[name] = z3.DeclareSort(name, self.context)
        return self._sorts[name]

    def tag(self, term: Term, kind: str | None = None, layer: str = "") -> Any:
        """The tag of a term: one for each kind of things, and of a term's own if none is said."""
        if kind is None:
            kind = kind_of(term) if term.sort == INT else term.sort
        predicate = z3.Function(f"tag {layer}{kind}", self.sort(term.sort), self.sort(BOOL))
        return predicate(self(term))

    def _made(self, term: Term) -> Any:
        if term.op in ("forall", "exists"):
            return self._quantified(term)
        if term.op == "const":
            return z3.BoolVal(term.value, self.context) if term.sort == BOOL else z3.IntVal(term.value, self.context)
        if term.op == "var":
            kind, name = term.value.kind, term.value.name  # no kind has a question mark in it
            return z3.Const(f"{VARIABLE}{kind}{VARIABLE}{name}", self.sort(term.sort))
        args = [self(arg) for arg in term.args]
        if term.op == "app":
            sorts, name = [self.sort(arg.sort) for arg in term.args], term.value.name
            alone = self._functions.setdefault(name, term.value) == term.value and not name.startswith(VARIABLE)
            sure(alone, f"two things are called {name}")
            return z3.Function(name, *sorts, self.sort(term.sort))(*args)
        if term.op == "not":
            return z3.Not(args[0])
        if term.op == "and":
            return z3.And(*args)
        if term.op == "or":
            return z3.Or(*args)
        if term.op == "ite":
            return z3.If(*args)
        if term.op == "eq":
            return args[0] == args[1]
        if term.op == "le":
            return args[0] <= args[1]
        if term.op == "add":
            return args[0] + args[1]
        sure(term.op == "scale", f"Z3 has no {term.op}")
        return term.value * args[0]

    def _quantified(self, term: Term, layer: str = "") -> Any:
        bounds, body = [bound_of(term)], term.args[3]
        while body.op == term.op:
            bounds.append(bound_of(body))
            body = body.args[3]
        inside = [self(bound.inside) for bound in bounds]
        variables = [self(bound.variable) for bound in bounds]
        if body.op == "pair":
            head, fact = body.args
            return z3.ForAll(variables, z3.Implies(z3.And(*inside), self(fact)), patterns=[self(head)])
        tags = [self.tag(bound.variable, None, layer) for bound in bounds] if self.tagged else []
        patterns = [z3.MultiPattern(*tags)] if len(tags) > 1 else tags
        if term.op == "forall":
            given = [*(tags if self.layered else ()), *inside]
            holds = z3.Implies(z3.And(*given), self(body))
            return z3.ForAll(variables, holds, patterns=patterns)
        return z3.Exists(variables, z3.And(*tags, *inside, self(body)), patterns=patterns)


Plain = Literal["self", "patterns", "ground", "wide", "seed", "models", "cases"]
Rung = Plain | Literal["own", "likely", "likely members", "likely wide", "layers wide"]

LADDER: tuple[tuple[Rung, int], ...] = (
    ("self", 1),
    ("ground", 1),
    ("patterns", 1),
    ("wide", 2),
    ("self", 4),
    ("ground", 4),
    ("wide", 8),
    ("patterns", 8),
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

MOST_CASES = 4
"""So many conditions of the step are told apart, which makes two to this many cases."""


@dataclass(frozen=True)
class Question:
    """Whether one of `goal` follows from `own` and `others`; of the latter a first attempt knows nothing.

    `leaves` are those of the state, whose values hypotheses are tried with. `likely` are those of the others that a
    proof within bounds has used: they are tried alone first.
    """

    own: tuple[Term, ...]
    others: tuple[Term, ...]
    goal: Clause
    leaves: tuple[LeafShape, ...]
    likely: tuple[Term, ...] = ()

    @property
    def digest(self) -> str:
        """A digest of what is asked."""
        parts = [*(t.digest for t in self.own), b"others", *(t.digest for t in self.others), b"goal"]
        parts += [t.digest for t in self.goal]
        parts += [b"likely" * bool(self.likely), *(t.digest for t in self.likely)]
        return hashlib.blake2b(b"".join(parts) + repr(self.leaves).encode(), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Answer:
    """Whether a question is answered with yes, in which way, and what that took.

    `resources` are the units of the way that had the answer, which are the same whatever was tried before; of all ways
    if none had it. `seconds` of processor are of all that were tried.
    """

    proved: bool
    rung: str
    resources: int
    seconds: float


@dataclass(frozen=True)
class Effort:
    """How hard questions are tried: in resource units, and whether in the steep part of the ladder."""

    unit: int
    steep: bool


class Climber:
    """Answers questions by going up the lower part of the ladder, or the steep part above it.

    Another thread may interrupt it, and then it is of no use any more.
    """

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._asked: _Asked | None = None
        self._interrupted = False

    def answer(self, question: Question) -> Answer:
        """The answer to a question. Raises Interrupted."""
        started, spent, effort = time.process_time(), 0, self._effort
        ways = OF_MANY if question.likely else LADDER
        ladder = [one for one in ways if (one[1] > LOWER) == effort.steep]
        for rung in ladder:
            asked = self._asked = _Asked(question)
            proved, resources = (False, 0) if self._interrupted else asked.way(rung[0], rung[1] * effort.unit)
            if self._interrupted:
                raise Interrupted
            spent += resources
            if proved:
                return Answer(True, told(rung), resources, time.process_time() - started)
        return Answer(False, "", spent, time.process_time() - started)

    def interrupt(self) -> None:
        """Let no question be answered any more: `answer` raises Interrupted. To be repeated until it has."""
        self._interrupted = True
        if self._asked is not None:
            self._asked.context.interrupt()


def told(rung: tuple[Rung, int]) -> str:
    """A way and its share of effort, as reports name it."""
    return f"{rung[0]} {rung[1]}"


class _Asked:
    """A question to be asked in one way, in a context of its own: nothing asked before has a part in the answer."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.context = z3.Context()

    def way(self, rung: Rung, rlimit: int) -> tuple[bool, int]:
        """Whether the question is answered in one way, and the resources that took."""
        asked = self.question
        everything = (*asked.own, *asked.others)
        if rung == "self":
            return self._refuted("plain", asked.own, asked.goal, (), rlimit)
        if rung in ("patterns", "seed", "models"):
            return self._refuted("plain", everything, asked.goal, (), rlimit, rung)
        if rung in ("ground", "wide"):
            return self._refuted("tagged", everything, asked.goal, self._pool(asked.goal, rung == "wide"), rlimit)
        if rung == "cases":
            return self._by_cases(rlimit)
        tried = self._pool(asked.goal, rung == "own" or rung.endswith("wide"))
        tried += members([*asked.own, *asked.goal]) if rung == "likely members" else []
        others = () if rung == "own" else asked.likely if rung.startswith("likely") else asked.others
        return self._refuted("layered", (*asked.own, *others), asked.goal, tried, rlimit)

    def _pool(self, goal: Clause, wide: bool) -> list[Tried]:
        return pool([*goal, *self.question.own], self.question.leaves, wide, bool(self.question.likely))

    def _by_cases(self, rlimit: int) -> tuple[bool, int]:
        """Every way in which the step decides is a question of its own."""
        asked, spent = self.question, 0
        conditions = list(_decided(asked.goal))[:MOST_CASES]
        if not conditions:
            return False, 0
        for signs in itertools.product((True, False), repeat=len(conditions)):
            case = [one if sign else not_(one) for one, sign in zip(conditions, signs, strict=True)]
            known = {one: TRUE if sign else FALSE for one, sign in zip(conditions, signs, strict=True)}
            goal = tuple(_given(part, known) for part in asked.goal)
            if TRUE in goal:
                continue
            for wide in (False, True):
                hypotheses = (*asked.own, *asked.others, *case)
                proved, resources = self._refuted("tagged", hypotheses, goal, self._pool(goal, wide), rlimit)
                spent += resources
                if proved:
                    break
            else:
                return False, spent
        return True, spent

    def _refuted(
        self,
        style: Style,
        hypotheses: Sequence[Term],
        goal: Clause,
        tags: Sequence[Tried],
        rlimit: int,
        rung: str = "",
    ) -> tuple[bool, int]:
        """Whether the hypotheses are incompatible with every part of the goal being false."""
        terms = Z3Terms(self.context, style)
        solver = z3.SimpleSolver(ctx=self.context)
        leave_interrupts_alone(solver)
        solver.set("rlimit", rlimit)
        solver.set("mbqi", rung == "models")
        solver.set("random_seed", 7 if rung == "seed" else 0)
        for one in hypotheses:
            solver.add(terms.hypothesis(one))
        for part in goal:
            solver.add(terms(not_(part)))
        for term, kind in tags:
            solver.add(terms.tried(term, kind))
        before = _resources(solver)
        verdict = check(solver)
        return verdict == z3.unsat, _resources(solver) - before


def _resources(solver: z3.Solver) -> int:
    return next((int(value) for key, value in solver.statistics() if key == "rlimit count"), 0)


def _decided(goal: Clause) -> Iterator[Term]:
    """The conditions by which the values in a goal are chosen, part by part."""
    seen: dict[Term, None] = {}
    for term in subterms(goal):
        if term.op == "ite" and all(one.op not in ("forall", "exists") for one in subterms([term.args[0]])):
            for part in term.args[0].args if term.args[0].op == "and" else (term.args[0],):
                if part.sort == BOOL and not _bound_in(part, goal):
                    seen[part] = None
    yield from seen


def _bound_in(part: Term, goal: Clause) -> bool:
    """Whether a condition speaks of a variable that is bound in the goal."""
    constants = frozenset().union(*(one.free for one in goal))
    return not part.free <= constants


def _given(term: Term, known: dict[Term, Term]) -> Term:
    """The term where conditions about constants are known to be true or false."""
    if term in known:
        return known[term]
    return rebuilt(term, [_given(arg, known) for arg in term.args]) if term.args else term
