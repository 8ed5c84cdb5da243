"""Every guard of the specification on Kafka: a step that one guard alone forbids is asked of Kafka all the same.

A guard is a `require` of an action, or an operand of an `and` in it, as the compiled action has them. For each the
shallowest state is searched for in which a request would be possible without it, and is not with it. Kafka must refuse
the request there, or change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import permutations

from epochal.checker.difference.difference import statement_at
from epochal.checker.ir.expression import Expression, Op, evaluate
from epochal.checker.ir.graph import refuted
from epochal.checker.ir.layout import leaf_expressions
from epochal.checker.ir.model import CompiledInstance
from epochal.checker.search.result import Options
from epochal.checker.search.shortest import shortest_runs
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.state import Status
from epochal.spec.language import ActionInstance, Identifier, SourceLine

from .compared import LeafDifference, differences, kafka_leaves, model_leaves
from .coverage import Watched, shown_place
from .driven import Driven, Harness, Threw
from .families import families_of
from .family import KafkaRequest, request_of
from .steps import commands

COMPOSED_OF = 2
"""So many steps of the specification may do what Kafka does in one."""

DECIDED_BY_KAFKA = {"propose_shrink": ("slow",)}
"""What Kafka is not told of a request besides what the controller chooses."""

TAKEN_BY_NOBODY_THAT_IS_DOWN = frozenset({"broker", "leader", "follower"})
"""The parameters of a step that name a broker whose process takes it."""


OF_CHOICES = re.compile(r"\b(successor|elected)\b")
"""In a guard on what the controller chooses: every outcome of a request is compared anyway."""

LEFT_OUT: Mapping[str, str] = {
    "ends_a_batch": "a batch that ends elsewhere is left out: nothing would tell the two apart",
    "registration_fences_the_old_incarnation": "fencing and then registering, which Kafka does in one change",
}
"""What the specification leaves out although Kafka does it, by a word of the guard."""

OF_BOUNDS = re.compile(r"\bbounded\(|\bbounds\.|\bused\.")
"""In a guard that limits how much may happen in the model."""


class Answer(Enum):
    """What became of a guard."""

    REFUSED = "refused"
    COMPOSED = "several steps"
    CHANGED = "changed"
    LEFT_OUT = "left out"
    CHOSEN = "Kafka's choice"
    BOUND = "a bound"
    UNREACHED = "no run"


@dataclass(frozen=True, order=True)
class GuardedBy:
    """A guard of an action: the line of the `require`, and the line on which its operand was first written."""

    action: str
    where: SourceLine
    part: SourceLine

    @property
    def text(self) -> str:
        """The statement."""
        return statement_at(self.where)


@dataclass(frozen=True)
class GuardAsked:
    """A guard, and what Kafka made of a request that it alone forbids.

    `request` is put to Kafka at the end of `run`; `said` is what it answered, `changed` what had another value then.
    """

    guard: GuardedBy
    answer: Answer
    request: str = ""
    run: Trace | None = None
    said: tuple[str, ...] = ()
    changed: tuple[LeafDifference, ...] = ()
    reason: str = ""


# -- what guards forbid -----------------------------------------------------------------------------------------------


def heard_of(instance: ActionInstance) -> KafkaRequest:
    """What Kafka hears of a step, without all that it decides itself."""
    request = request_of(instance)
    decided = DECIDED_BY_KAFKA.get(request.action, ())
    return KafkaRequest(request.action, tuple(pair for pair in request.arguments if pair[0] not in decided))


class Forbidden:
    """For each guard of a model the condition on states in which it alone forbids a request."""

    def __init__(self, watched: Watched) -> None:
        self.watched, self.model = watched, watched.compiled.model
        self.graph = self.model.graph
        enabled: dict[KafkaRequest, list[Expression]] = {}
        for one in self.model.instances:
            stopped = [] if one.stopped is None else [one.stopped]  # by a bound, which Kafka has not
            enabled.setdefault(heard_of(one.instance), []).extend((one.enabled, *stopped))
        self._enabled = {request: self.graph.any_of(some) for request, some in enabled.items()}
        self.by_guard: dict[GuardedBy, dict[int, Expression]] = {}
        self.not_asked: dict[GuardedBy, GuardAsked] = {}
        for one in (*self.model.instances, *self.model.impossible):
            for guard, condition in self._without_each(one):
                ways = self.by_guard.setdefault(guard, {})
                number = one.instance.number
                ways[number] = self.graph.or_(ways[number], condition) if number in ways else condition

    def _without_each(self, one: CompiledInstance) -> Iterator[tuple[GuardedBy, Expression]]:
        graph, request = self.graph, heard_of(one.instance)
        allowed = self._enabled.get(request, graph.false)
        somebody = self._somebody(one.instance)
        for guard in one.guards:
            if guard.where is None:
                continue
            others = [other.condition for other in one.guards if other is not guard]
            parts = guard.condition.args if guard.condition.op is Op.AND else (guard.condition,)
            for part in parts:
                rest = [other for other in parts if other is not part]
                condition = graph.all_of([somebody, *others, *rest, graph.not_(part), graph.not_(allowed)])
                asked = GuardedBy(one.instance.action.name, guard.where, part.where or guard.where)
                if why := _not_asked(replace(asked, part=guard.where)):
                    self.not_asked[why.guard] = why
                elif not refuted(condition):
                    yield asked, condition

    def _somebody(self, instance: ActionInstance) -> Expression:
        """That those run that are to take a step, and that whoever starts is down; a broker asks nothing of itself."""
        graph, conditions, named = self.graph, list[Expression](), list[Identifier]()
        for parameter, value in zip(instance.parameters, instance.arguments, strict=True):
            if parameter.name in TAKEN_BY_NOBODY_THAT_IS_DOWN and instance.action.name != "fence":
                runs = self._runs[str(value)]
                conditions.append(graph.not_(runs) if instance.action.name == "restart" else runs)
                named.append(value)
        if instance.action.name == "handle_alter_partition":
            conditions.append(self._request_is_there)
        return graph.all_of(conditions) if len(set(named)) == len(named) else graph.false

    @cached_property
    def _runs(self) -> Mapping[str, Expression]:
        protocol, fields = self.watched.protocol, leaf_expressions(self.graph, self.watched.protocol)
        found = {}
        for place, leaf in enumerate(protocol.leaves):
            if leaf.path.startswith("brokers[") and leaf.path.endswith("].status"):
                running = leaf.domain.code(Status.RUNNING)
                assert running is not None
                found[leaf.path[len("brokers[") : -len("].status")]] = self.graph.eq(
                    fields[place], self.graph.integer(running)
                )
        return found

    @cached_property
    def _request_is_there(self) -> Expression:
        protocol, fields = self.watched.protocol, leaf_expressions(self.graph, self.watched.protocol)
        place = next(place for place, leaf in enumerate(protocol.leaves) if leaf.path == "request.leader")
        nobody = protocol.leaves[place].domain.code(None)
        assert nobody is not None
        return self.graph.not_(self.graph.eq(fields[place], self.graph.integer(nobody)))

    def forbidden_at(self, guard: GuardedBy, codes: Codes) -> ActionInstance:
        """A step that the guard alone forbids in a state."""
        ways = self.by_guard[guard]
        answers = evaluate(tuple(ways.values()), codes)
        number = next(number for number, answer in zip(ways, answers, strict=True) if answer)
        return self.watched.protocol.instances[number]


def _not_asked(guard: GuardedBy) -> GuardAsked | None:
    """What is known of a guard without asking."""
    text = statement_at(guard.where)
    if OF_BOUNDS.search(text):
        return GuardAsked(guard, Answer.BOUND, reason="it limits the model")
    if OF_CHOICES.search(text):
        return GuardAsked(guard, Answer.CHOSEN, reason="who is elected is compared at every step")
    why = next((reason for word, reason in LEFT_OUT.items() if word in text), "")
    return GuardAsked(guard, Answer.LEFT_OUT, reason=why) if why else None


# -- asked ------------------------------------------------------------------------------------------------------------


def ask_guards(kafka: Harness, models: Sequence[Watched], most_states: int) -> list[GuardAsked]:
    """Ask Kafka for what each guard forbids, at the shallowest state of a search of the first model that has one."""
    found, reasons = dict[GuardedBy, GuardAsked](), dict[GuardedBy, list[str]]()
    for model in models:
        forbidden = Forbidden(model)
        found |= forbidden.not_asked
        wanted = sorted(forbidden.by_guard.keys() - found.keys())
        conditions = {
            str(number): forbidden.graph.any_of(forbidden.by_guard[guard].values())
            for number, guard in enumerate(wanted)
        }
        searched = shortest_runs(forbidden.model, conditions, Options(max_states=most_states, workers=1))
        for number, guard in enumerate(wanted):
            run = searched.runs.get(str(number))
            if run is None:
                seen = f"{'the first' if searched.cut else 'all'} {searched.states:,} states"
                reasons.setdefault(guard, []).append(f"in none of {seen} with {shown_place(model.protocol)}")
            else:
                found[guard] = _asked(kafka, guard, forbidden.forbidden_at(guard, run.states[-1]), run)
    for guard, where in reasons.items():
        found.setdefault(guard, GuardAsked(guard, Answer.UNREACHED, reason="; ".join(where)))
    return [found[guard] for guard in sorted(found)]


def _asked(kafka: Harness, guard: GuardedBy, forbidden: ActionInstance, run: Trace) -> GuardAsked:
    """Play a run in every order of the replicas until Kafka follows, and ask for a step that is forbidden then."""
    protocol = run.protocol
    assert isinstance(protocol, Kraft)  # `playable` makes it
    request, why = request_of(forbidden), ""
    for order in permutations(range(len(list(protocol.at(run.initial).brokers)))):
        driven = Driven(kafka, protocol, order, run.initial)
        why = _played(driven, run)
        if not why:
            return _answered(driven, guard, request, run)
    return GuardAsked(guard, Answer.UNREACHED, str(request), run, reason=why)


def _played(driven: Driven, run: Trace) -> str:
    """Take the steps of a run; why that is not possible, "" if it is."""
    for step in run.steps:
        request = request_of(step.instance)
        why = driven.cannot_ask(driven.state, request)
        if why or driven.take(request, [(step.instance, step.codes)]):
            return why or f"Kafka does not follow at {request}"
    return ""


def _answered(driven: Driven, guard: GuardedBy, request: KafkaRequest, run: Trace) -> GuardAsked:
    protocol, state = driven.protocol, driven.state
    families, before = families_of(protocol), model_leaves(state)
    try:
        seen = driven.asked(commands(state, request, driven.places))
    except Threw as thrown:
        return GuardAsked(guard, Answer.REFUSED, str(request), run, (str(thrown),))
    after = kafka_leaves(seen, driven.names, families)
    changed = differences(after, before)
    said = tuple(driven.said)
    if not changed:
        return GuardAsked(guard, Answer.REFUSED, str(request), run, said)
    composed = _composed(protocol, driven.codes, after)
    if composed:
        return GuardAsked(guard, Answer.COMPOSED, str(request), run, said, changed, f"the same as {composed}")
    return GuardAsked(guard, Answer.CHANGED, str(request), run, said, changed)


def _composed(protocol: Kraft, codes: Codes, wanted: Mapping[str, str]) -> str:
    """A few steps of the specification to a state that is told in the same way; "" if there are none."""
    semantics = PythonSemantics(protocol)
    layer: dict[Codes, Sequence[str]] = {codes: ()}
    for _ in range(COMPOSED_OF):
        following: dict[Codes, Sequence[str]] = {}
        for state, labels in layer.items():
            for instance, after in semantics.successors(state):
                if after not in following:
                    following[after] = (*labels, instance.label)
                    if model_leaves(protocol.at(after)) == wanted:
                        return " and ".join(following[after])
        layer = following
    return ""
