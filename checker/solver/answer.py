"""Answering questions with Z3. This is what worker processes and Spark executors run: it knows no protocol.

The terms of the premises are made once. Each question then gets a context and a solver of its own, into which they are
copied, so that its answers do not depend on what was asked before. Lemmas are assumed by name: what Z3 needed of them
for a proof comes back with it.
"""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, fields
from functools import cached_property
from threading import Thread
from typing import Literal, NamedTuple

import z3

from ..ir.expression import Expression, Op, Sort, reachable_nodes
from ..smt.context import new_context
from ..smt.terms import LeafShape, Term, Terms
from ..workers.pool import PATIENCE, Interrupted

# -- portable ---------------------------------------------------------------------------------------------------------
# Expressions as plain data: what another process, another machine or a file can hold without the protocol.
#
# The form is canonical: two graphs that say the same with their nodes made in another order give the same rows and the
# same digest. Commutative operators have their arguments in the order of their digests, and rows stand in the order in
# which they are first needed.

COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ, Op.AND, Op.OR, Op.UNION, Op.INTERSECTION})


class Row(NamedTuple):
    """A node: the arguments are the numbers of earlier rows, the rest is as in `Expression`."""

    op: str
    args: tuple[int, ...]
    value: int
    sort: Sort
    low: int
    high: int


class Writer:
    """Turns the expressions of one graph into rows. Digests of nodes are kept, so that many writers can share them."""

    def __init__(self, digests: dict[int, bytes] | None = None) -> None:
        self.rows: list[Row] = []
        self._digests: dict[int, bytes] = {} if digests is None else digests
        self._numbers: dict[int, int] = {}

    def digest(self, root: Expression) -> bytes:
        """The digest of an expression: of what it says, whatever the numbers of its nodes."""
        for node in reachable_nodes([root], self._digests):
            args = [self._digests[arg.id] for arg in node.args]
            if node.op in COMMUTATIVE:
                args.sort()
            head = f"{node.op.value} {node.value} {node.sort} {node.low} {node.high} ".encode()
            self._digests[node.id] = hashlib.blake2b(head + b"".join(args), digest_size=16).digest()
        return self._digests[root.id]

    def __call__(self, root: Expression) -> int:
        """The number of the row of an expression, which is written if it is not there yet."""
        self.digest(root)
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id in self._numbers:
                stack.pop()
                continue
            args = self._ordered(node)
            missing = [arg for arg in args if arg.id not in self._numbers]
            if missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            self._numbers[node.id] = len(self.rows)
            numbers = tuple(self._numbers[arg.id] for arg in args)
            self.rows.append(Row(node.op.value, numbers, node.value, node.sort, node.low, node.high))
        return self._numbers[root.id]

    def all(self, roots: Iterable[Expression]) -> tuple[int, ...]:
        """The numbers of several expressions."""
        return tuple(self(root) for root in roots)

    def _ordered(self, node: Expression) -> Sequence[Expression]:
        if node.op in COMMUTATIVE:
            return sorted(node.args, key=lambda arg: self._digests[arg.id])
        return node.args


def expressions(rows: Sequence[Row], first_id: int = 0) -> list[Expression]:
    """The nodes that the rows stand for, with ids from `first_id`. They belong to no graph and are not simplified."""
    made: list[Expression] = []
    for number, row in enumerate(rows, start=first_id):
        args = tuple(made[arg] for arg in row.args)
        made.append(Expression(number, Op(row.op), args, row.value, row.sort, row.low, row.high, None))
    return made


# -- queries ----------------------------------------------------------------------------------------------------------
# What is asked of the solver, as plain data: the premises that all questions of a proof share, and the questions.
#
# A question is about one action instance, or about one property that the lemmas should imply. Its obligations are asked
# one after the other in one solver, so its answers depend on nothing but its content: that is what `key` digests, what
# the cache is keyed by, and why any number of workers gives the same answers. `induction` makes the questions; those
# processes that only answer them load neither it nor the compiler.

EncodedVerdict = Literal["proved", "counterexample", "unknown"]


@dataclass(frozen=True)
class Assumptions:
    """What a state may be taken to satisfy: `typed` conditions, the `constraint` on states that have steps, `lemmas`.

    `typed`, `constraint` and `lemmas` are numbers of rows.
    """

    leaves: tuple[LeafShape, ...]
    rows: tuple[Row, ...]
    typed: tuple[int, ...]
    constraint: int
    lemmas: tuple[int, ...]

    @cached_property
    def key(self) -> str:
        """A digest of the content."""
        return _digest(self.leaves, self.rows, self.typed, self.constraint, self.lemmas)


@dataclass(frozen=True)
class Query:
    """The obligations of one action instance, or (`enabled` is None) that the lemmas imply the `properties`.

    Other numbers are of rows of this question; `assumed` and `preserved` count the lemmas of the premises. `updates`
    are pairs of a leaf and its new value. `rlimit` is in Z3's resource units, for each obligation. With `least` the
    counterexamples are the least ones.
    """

    rows: tuple[Row, ...]
    assumed: tuple[int, ...]
    rlimit: int
    enabled: int | None = None
    updates: tuple[tuple[int, int], ...] = ()
    failures: tuple[int, ...] = ()
    stays_typed: tuple[int, ...] = ()
    preserved: tuple[int, ...] = ()
    properties: tuple[int, ...] = ()
    least: bool = True

    def key(self, premises: Assumptions) -> str:
        """A digest of the question: all that the answers depend on but the solver and the code that asks it."""
        return _digest(premises.key, *(getattr(self, one.name) for one in fields(self)))


@dataclass(frozen=True)
class SolverResult:
    """The answer to one obligation of a question.

    `codes` is the state of a counterexample: of all of them the least, leaf by leaf in the order of the state, if that
    was asked for. `core` counts the lemmas that a proof used, `reason` says why there is no answer. `seconds` is
    processor time.
    """

    verdict: EncodedVerdict
    seconds: float
    codes: tuple[int, ...] | None = None
    reason: str = ""
    core: tuple[int, ...] = ()


def _digest(*content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=20).hexdigest()


# -- interruptible ----------------------------------------------------------------------------------------------------
# A question to Z3 that Ctrl-C can end.

EVERY = 2.0
"""Seconds after which people want to hear that something is still going on."""

SPENT = "the resource limit is spent"
"""Why there is no answer where more effort, a larger `rlimit`, might have one."""


def leave_interrupts_alone(solver: z3.Solver) -> None:
    """Keep Z3 from taking Ctrl-C for itself: it would give up on one question only, and say it does not know."""
    solver.set("ctrl_c", False)


def why_unknown(solver: z3.Solver) -> str:
    """Why a solver that leaves interrupts alone has no answer. It says canceled when it is at the end of its rlimit."""
    reason = str(solver.reason_unknown())
    return SPENT if reason == "canceled" or "resource limit" in reason else reason or "it gave no reason"


def check(
    solver: z3.Solver, waiting: Callable[[], None] | None = None, assumed: Sequence[Term] = ()
) -> z3.CheckSatResult:
    """The answer of a solver, which must leave interrupts alone. Whatever is raised while it thinks interrupts it.

    `assumed` are literals that hold for this answer. `waiting` is called every two seconds. The answer is waited for a
    moment at a time: where Z3 has handled signals before, Ctrl-C no longer ends a wait by itself.
    """
    future = Future[z3.CheckSatResult]()
    thread = Thread(target=_answer, args=(solver, assumed, future), daemon=True)
    thread.start()
    try:
        told = time.monotonic()
        while not wait([future], timeout=min(PATIENCE, EVERY)).done:
            if waiting is not None and time.monotonic() - told >= EVERY:
                waiting()
                told = time.monotonic()
        return future.result()
    except BaseException:
        while thread.is_alive():
            solver.ctx.interrupt()
            thread.join(PATIENCE)
        raise


def _answer(solver: z3.Solver, assumed: Sequence[Term], future: Future[z3.CheckSatResult]) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for the thread that waits
    try:
        future.set_result(solver.check(*assumed))
    except BaseException as error:  # raised where the answer is waited for
        future.set_exception(error)


QUESTION_IDS = 1 << 40
"""Where the ids of the nodes of questions begin, beyond those of the premises."""


class Solver:
    """Answers questions about the same premises. Another thread may interrupt it, and then it is of no use any more."""

    def __init__(self, premises: Assumptions) -> None:
        self.premises = premises
        self._interrupted = False
        self._asked: _Asked | None = None
        self.terms = Terms(premises.leaves)
        self._next_id = QUESTION_IDS
        nodes = expressions(premises.rows)
        self._typed = [self.terms(nodes[number]) for number in premises.typed]
        self._constraint = self.terms(nodes[premises.constraint])
        self._lemmas = [self.terms(nodes[number]) for number in premises.lemmas]

    def answer(self, question: Query) -> tuple[SolverResult, ...]:
        """The answers: for an instance to evaluation and then to each preserved lemma, else to each property."""
        nodes = self._nodes(question.rows)
        facts = [*self.terms.in_domain(), *self._typed]
        lemmas = [self._lemmas[number] for number in question.assumed]
        if question.enabled is None:
            goals = [z3.Not(self.terms(nodes[number])) for number in question.properties]
            asked = self._asked = _Asked(self.terms, facts, lemmas, goals, question)
            return tuple(self._answer(asked, goal) for goal in asked.goals)
        goals = list(self._step_goals(question, nodes, question.enabled))
        asked = self._asked = _Asked(self.terms, [*facts, self._constraint], lemmas, goals, question)
        enabled, evaluation, *preserved = asked.goals
        found = [self._answer(asked, evaluation)]
        asked.suppose(enabled)
        return (*found, *(self._answer(asked, goal) for goal in preserved))

    def needed(
        self,
        question: Query,
        preserved: int | None,
        after: Sequence[int],
        known: Collection[tuple[int, bool]],
        rather_after: bool,
    ) -> set[tuple[int, bool]] | None:
        """The lemmas, before (False) and after a step (True), that an instance needs to preserve one of them.

        None of `preserved` asks that it can be evaluated. `after` are the lemmas that may be used after the step,
        `known` those that are used anyway: what these need besides is the answer, `rather_after` the step than before
        it where there is a choice. None if all do not suffice.
        """
        nodes = self._nodes(question.rows)
        enabled, evaluation, *_ = self._step_goals(question, nodes, question.enabled or 0)
        pairs = [(self.terms.leaves[leaf], self.terms.stored(leaf, nodes[value])) for leaf, value in question.updates]
        bad = evaluation
        facts = [*self.terms.in_domain(), *self._typed, self._constraint]
        if preserved is not None:
            bad = z3.Not(z3.substitute(self._lemmas[preserved], *pairs))
            facts += [enabled, *(z3.Not(self.terms(nodes[number])) for number in question.failures)]
        lemmas = {(number, False): self._lemmas[number] for number in question.assumed}
        lemmas |= {(number, True): z3.substitute(self._lemmas[number], *pairs) for number in after}
        return _least(self.terms.context, [*facts, bad], lemmas, known, rather_after, question.rlimit)

    def interrupt(self) -> None:
        """Let no question be answered any more: `answer` raises Interrupted. To be repeated until it has."""
        self._interrupted = True
        if self._asked is not None:
            self._asked.context.interrupt()

    def _answer(self, asked: _Asked, bad: Term) -> SolverResult:
        """Whether `bad` is impossible. What Z3 says when it was interrupted is no answer."""
        found = None if self._interrupted else asked.answer(bad)
        if found is None or self._interrupted:
            raise Interrupted
        return found

    def _nodes(self, rows: Sequence[Row]) -> list[Expression]:
        first, self._next_id = self._next_id, self._next_id + len(rows)
        return expressions(rows, first)

    def _step_goals(self, question: Query, nodes: list[Expression], at: int) -> Iterator[Term]:
        """That the instance is enabled, and what must be impossible: that it cannot be evaluated, or breaks a lemma."""
        terms = self.terms
        enabled = terms(nodes[at])
        pairs = [(terms.leaves[leaf], terms.stored(leaf, nodes[value])) for leaf, value in question.updates]
        typed = [terms(nodes[number]) for number in question.stays_typed]
        typed += [z3.substitute(part, *pairs) for part in self._typed]
        failing = [terms(nodes[number]) for number in question.failures]
        yield enabled
        yield z3.Or(*failing, z3.And(enabled, z3.Not(z3.And(terms.true, *typed))))
        for number in question.preserved:
            yield z3.Not(z3.substitute(self._lemmas[number], *pairs))


def _least(
    context: z3.Context,
    facts: Sequence[Term],
    lemmas: Mapping[tuple[int, bool], Term],
    known: Collection[tuple[int, bool]],
    rather_after: bool,
    rlimit: int,
) -> set[tuple[int, bool]] | None:
    """Lemmas that contradict the facts together with known ones, none of which can be left out; None if all do not."""
    solver = z3.SimpleSolver(ctx=context)
    solver.set("rlimit", rlimit)
    leave_interrupts_alone(solver)
    solver.add(*facts)
    names = {lemma: z3.Bool(f"lemma {lemma}", context) for lemma in lemmas}
    solver.add(*(z3.Implies(names[lemma], holds) for lemma, holds in lemmas.items()))

    def refuted(some: Collection[tuple[int, bool]]) -> bool:
        return bool(check(solver, assumed=[names[lemma] for lemma in sorted(some)]) == z3.unsat)

    given = {lemma for lemma in known if lemma in names}
    if refuted(given):
        return set()
    if not refuted(names):
        return None
    used = {str(name) for name in solver.unsat_core()}
    needed = {lemma for lemma in lemmas if str(names[lemma]) in used} - given
    for lemma in sorted(needed, key=lambda one: (one[1] == rather_after, one)):
        if refuted(given | needed - {lemma}):
            needed.discard(lemma)
    return needed


class _Asked:
    """One question in a context of its own."""

    def __init__(
        self, terms: Terms, facts: Sequence[Term], lemmas: Sequence[Term], goals: Sequence[Term], question: Query
    ) -> None:
        self._question = question
        everything = z3.AstVector(ctx=terms.context)
        for term in (*terms.leaves, *facts, *lemmas, *goals):
            everything.push(term)
        context = self.context = new_context()
        copied = iter(everything.translate(context))
        self._leaves = [next(copied) for _ in terms.leaves]
        self._sizes = terms.sizes
        self._solver = z3.SimpleSolver(ctx=context)
        self._solver.set("rlimit", question.rlimit)
        leave_interrupts_alone(self._solver)
        for _ in facts:
            self._solver.add(next(copied))
        self._assumed = [z3.Bool(f"lemma {number}", context) for number in range(len(lemmas))]
        for name in self._assumed:
            self._solver.add(z3.Implies(name, next(copied)))
        self.goals = [next(copied) for _ in goals]

    def suppose(self, fact: Term) -> None:
        """Let all further answers be about states in which this is true."""
        self._solver.add(fact)

    def answer(self, bad: Term) -> SolverResult:
        """Whether `bad` is impossible."""
        started = time.thread_time()
        solver = self._solver
        solver.push()
        solver.add(bad)
        verdict = solver.check(*self._assumed)
        codes = self._state() if verdict == z3.sat else None
        reason = why_unknown(solver) if verdict == z3.unknown else ""
        core: tuple[int, ...] = ()
        if verdict == z3.unsat:
            used = {name.get_id() for name in solver.unsat_core()}
            named = zip(self._assumed, self._question.assumed, strict=True)
            core = tuple(lemma for name, lemma in named if name.get_id() in used)
        solver.pop()
        seconds = time.thread_time() - started
        if codes is not None:
            return SolverResult("counterexample", seconds, codes)
        return SolverResult("unknown" if verdict == z3.unknown else "proved", seconds, reason=reason, core=core)

    def _state(self) -> tuple[int, ...]:
        """The state of the present model; if asked for, the least that satisfies what is asserted, leaf by leaf.

        The least one is the same whatever model Z3 comes upon first, and says least that does not matter.
        """
        solver, model = self._solver, self._solver.model()
        codes = []
        for leaf, size in zip(self._leaves, self._sizes, strict=True):
            known = _code(model, leaf)
            for lesser in range(min(known, size) if self._question.least else 0):
                solver.push()
                solver.add(_has_code(leaf, lesser))
                if solver.check(*self._assumed) == z3.sat:
                    known, model = lesser, solver.model()
                    solver.pop()
                    break
                solver.pop()
            codes.append(known)
            if self._question.least:
                solver.add(_has_code(leaf, known))
        return tuple(codes)


def _code(model: z3.ModelRef, leaf: Term) -> int:
    value = model.eval(leaf, model_completion=True)
    return int(z3.is_true(value)) if z3.is_bool(leaf) else int(value.as_long())


def _has_code(leaf: Term, code: int) -> Term:
    if z3.is_bool(leaf):
        return leaf if code else z3.Not(leaf)
    return leaf == code
