"""The cross-check of Z3: its terms against values, on states that runs go through and on typed ones by chance.

Z3 reads a specification in two ways of its own: as terms, and by `evaluate`, which says what a run shows. Of each state
both are asked what machine code is asked after a search, and compared with the Python semantics. The states are those
of every run and counterexample that was found, and then in turn those of a random walk and any typed ones, which a
proof is about.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import z3

from epochal.spec.language import ActionInstance, EvaluationError, Member, Protocol

from ..crosscheck.cross_check import (
    SEED,
    Amount,
    CrossCheck,
    CrossChecker,
    Disagreement,
    SemanticsDisagree,
    disagree_on_step,
    repeated,
    result_in_words,
)
from ..ir.expression import Expression, evaluate
from ..ir.model import Failure, Model
from ..semantics.semantics import Answers, Codes, PythonSemantics, Taken, Truth
from ..smt.terms import Term, Terms
from ..trace.trace import Trace
from .answer import Writer, expressions

Copy = Callable[[Sequence[Expression]], list[Expression]]
"""How expressions come to the solver: as they are in the graph (`list`), or `as_rows`."""

LEAST = 8
"""By default so many states are repeated however short the run was: a state takes Z3 some hundredths of a second."""

WALK, EACH = 40, 4
"""How many states a random run has at most, and how many of them are repeated."""


def as_rows(roots: Sequence[Expression]) -> list[Expression]:
    """Expressions as a worker or an executor reads them: written as rows, and made again."""
    write = Writer()
    numbers = write.all(roots)
    nodes = expressions(write.rows)
    return [nodes[number] for number in numbers]


@dataclass(frozen=True)
class _Rule:
    """What can be asked of an instance, a property or the constraint: a condition, and when it fails."""

    holds: Expression
    fails: tuple[Expression, ...]


class ExpressionAnswers(Answers):
    """What the expressions of a model say. How they are evaluated is left to a subclass."""

    def __init__(self, model: Model, members: Sequence[Member], copy: Copy) -> None:
        self._model = model
        asked = {member.name for member in members}
        rules: list[tuple[Expression, Sequence[Failure]]] = [(c.enabled, c.failures) for c in model.instances]
        self._of_states = [p for p in model.properties if p.member.name in asked and not p.of_steps]
        self._of_steps = [p for p in model.properties if p.member.name in asked and p.of_steps]
        rules += [(p.holds, p.failures) for p in self._of_states]
        for property in self._of_steps:
            numbers = (compiled.instance.number for compiled in model.instances)
            rules += [(property.on_step[n], property.step_failures.get(n, ())) for n in numbers]
        rules.append((model.constraint, model.constraint_failures))
        updates = [value for c in model.instances for value in c.updates.values()]
        roots = copy([*(e for holds, failing in rules for e in (holds, *(f.condition for f in failing))), *updates])
        self._prepare(roots)
        made = iter(roots)
        self._rules = [_Rule(next(made), tuple(next(made) for _ in failing)) for _, failing in rules]
        self._updates = [{leaf: next(made) for leaf in c.updates} for c in model.instances]

    def _prepare(self, roots: Sequence[Expression]) -> None:
        """Get ready to evaluate these expressions."""

    def _at(self, codes: Codes) -> None:
        """From now on, evaluate in this state."""
        raise NotImplementedError

    def _true(self, condition: Expression) -> bool:
        raise NotImplementedError

    def _stored(self, leaf: int, value: Expression) -> int:
        raise NotImplementedError

    def _truth(self, rule: _Rule) -> Truth:
        return None if any(self._true(condition) for condition in rule.fails) else self._true(rule.holds)

    def steps(self, codes: Codes) -> Mapping[int, Taken]:
        """Every instance that is enabled or fails in a state, by its number."""
        self._at(codes)
        found = {}
        count, first = len(self._model.instances), len(self._model.instances) + len(self._of_states)
        for place, compiled in enumerate(self._model.instances):
            enabled = self._truth(self._rules[place])
            if enabled is None:
                found[compiled.instance.number] = Taken(None, {})
            elif enabled:
                after = list(codes)
                for leaf, value in self._updates[place].items():
                    after[leaf] = self._stored(leaf, value)
                judged = {
                    property.member.name: self._truth(self._rules[first + number * count + place])
                    for number, property in enumerate(self._of_steps)
                }
                found[compiled.instance.number] = Taken(tuple(after), judged)
        return found

    def judged(self, codes: Codes) -> Mapping[str, Truth]:
        """The properties of single states, by their names."""
        self._at(codes)
        rules = self._rules[len(self._model.instances) :]
        return {p.member.name: self._truth(rule) for p, rule in zip(self._of_states, rules, strict=False)}

    def within(self, codes: Codes) -> Truth:
        """Whether a state lies within the constraint."""
        self._at(codes)
        return self._truth(self._rules[-1])


class Values(ExpressionAnswers):
    """Evaluated by `evaluate`."""

    name = "evaluate"

    def _prepare(self, roots: Sequence[Expression]) -> None:
        self._roots, self._now = list({root.id: root for root in roots}.values()), tuple[int, ...]()

    def _at(self, codes: Codes) -> None:
        if codes != self._now:
            found = zip(self._roots, evaluate(self._roots, codes), strict=True)
            self._now, self._values = codes, {root.id: value for root, value in found}

    def _true(self, condition: Expression) -> bool:
        return self._values[condition.id] == 1

    def _stored(self, leaf: int, value: Expression) -> int:
        return self._values[value.id]


class TermValues(ExpressionAnswers):
    """Evaluated by Z3, as terms: the leaves of the state are given their codes, and the terms simplified by a model."""

    name = "z3"

    def __init__(self, model: Model, members: Sequence[Member], copy: Copy, terms: Terms | None = None) -> None:
        self._terms = terms or Terms(model.protocol)
        self._solver = z3.SimpleSolver(ctx=self._terms.context)
        self._now: Codes = ()
        self._known: dict[int, Term] = {}
        self._written: dict[tuple[int, int], Term] = {}
        super().__init__(model, members, copy)

    def _at(self, codes: Codes) -> None:
        if codes == self._now:
            return
        self._now = codes
        self._solver.push()
        self._solver.add(*self._terms.is_state(codes))
        assert self._solver.check() == z3.sat, "leaves can have any codes"
        self._state = self._solver.model()
        self._solver.pop()

    def _value(self, term: Term) -> Term:
        return self._state.eval(term, model_completion=True)

    def _true(self, condition: Expression) -> bool:
        term = self._known.get(condition.id)
        if term is None:
            term = self._known[condition.id] = self._terms(condition)
        return bool(z3.is_true(self._value(term)))

    def _stored(self, leaf: int, value: Expression) -> int:
        key = leaf, value.id
        if key not in self._written:
            self._written[key] = self._terms.stored(leaf, value)
        found = self._value(self._written[key])
        return int(z3.is_true(found)) if z3.is_bool(found) else int(found.as_long())


def cross_checked(
    model: Model,
    members: Sequence[Member],
    traces: Sequence[Trace],
    amount: Amount,
    run_seconds: float,
    copy: Copy = list,
    terms: Terms | None = None,
) -> CrossCheck:
    """Repeat the states of some traces and others in the Python semantics, and compare terms and values with it.

    `terms` are those of the solver, if there are some already. Raises SemanticsDisagree.
    """
    if amount == "off":
        return CrossCheck()
    begun = time.monotonic()
    protocol = model.protocol
    values = CrossChecker(protocol, members, Values(model, members, list))
    checker = CrossChecker(protocol, members, TermValues(model, members, copy, terms))

    def repeat(codes: Codes) -> None:
        checker.repeat(codes)
        values.repeat(codes)

    so_far = run_seconds + time.monotonic() - begun
    return repeated(checker, _states(protocol, traces), repeat, amount, so_far, LEAST)


def confirm_step(protocol: Protocol, before: Codes, instance: ActionInstance, after: Codes | None = None) -> Codes:
    """The state after a step that Z3 says is possible, and leads to `after` if that is given; as Python takes it.

    Raises SemanticsDisagree if Python says otherwise.
    """
    says = "enabled" if after is None else result_in_words(protocol, before, after)
    try:
        reached = protocol.step(protocol.at(before), instance)
    except EvaluationError as error:
        answers = [("z3", says), ("python", f"cannot be evaluated: {error}")]
        raise disagree_on_step(protocol, before, instance, answers, after) from error
    if reached is None or reached != (after or reached):
        ours = "not enabled" if reached is None else result_in_words(protocol, before, reached)
        raise disagree_on_step(protocol, before, instance, [("z3", says), ("python", ours)], reached or after)
    return reached


def disagree_on_run(trace: Trace, about: str, says: str, reading: str, other: str) -> SemanticsDisagree:
    """Z3 says something of the end of a run that another semantics denies, and no single state shows why."""
    last = trace.states[-1]
    found = Disagreement(about, None, trace.protocol, last, (("z3", says), (reading, other)))
    return SemanticsDisagree(found).after(trace.steps, trace.initial)


def _states(protocol: Protocol, traces: Sequence[Trace]) -> Iterator[Codes]:
    """Different states: those of traces, and then in turn those of random walks and random typed ones."""
    told: set[Codes] = set()
    walked, typed = _walked(protocol), _typed(protocol)
    known = 0
    for codes in itertools.chain(
        (codes for trace in traces for codes in trace.states),
        (next(source) for source in itertools.cycle((walked, walked, typed))),
    ):
        known = known + 1 if codes in told else 0
        if known == ENOUGH:
            return
        if not known:
            told.add(codes)
            yield codes


ENOUGH = 1_000
"""After so many states that were repeated already it is supposed that there are no others."""


def _walked(protocol: Protocol) -> Iterator[Codes]:
    """States of random runs of the Python semantics, within the constraint: those in which most actions are enabled
    that
    were enabled in few states before. A run goes on with the action that was taken least."""
    chosen, reading = random.Random(SEED), PythonSemantics(protocol)
    initial = protocol.initial_states()
    if not initial:  # a question may begin elsewhere
        yield from _typed(protocol)
    taken, enabled = Counter[str](), Counter[str]()
    while True:
        codes, run = chosen.choice(initial), list[tuple[Codes, frozenset[str]]]()
        while len(run) < WALK and _inside(reading, codes):
            found = [(i.action.name, after) for i, after in protocol.outcomes(codes)]
            run.append((codes, frozenset(name for name, _ in found)))
            steps = [(name, after) for name, after in found if not isinstance(after, EvaluationError)]
            if not steps:
                break
            chosen.shuffle(steps)
            name, codes = min(steps, key=lambda step: taken[step[0]])
            taken[name] += 1
        for _ in range(min(EACH, len(run))):
            best = max(run, key=lambda state: sum(1 / (1 + enabled[name]) for name in state[1]))
            run.remove(best)
            enabled.update(best[1])
            yield best[0]


def _inside(reading: PythonSemantics, codes: Codes) -> bool:
    try:
        return reading.within_constraint(codes)
    except EvaluationError:
        return False


def _typed(protocol: Protocol) -> Iterator[Codes]:
    """Random states in canonical form, reachable or not."""
    chosen = random.Random(SEED)
    sizes = [leaf.domain.size for leaf in protocol.leaves]
    while True:
        yield protocol.at([chosen.randrange(size) for size in sizes]).codes()
