"""The specification of the controller where settings change, and where brokers wait until they may shut down.

Neither is a state of the specification. It has the rules under each setting, the step that clears what a change of
min.insync.replicas clears, and the step by which a broker that shuts down leaves. Which heartbeat is such a step
follows from who leads and who has replayed what: those are the rules of BrokerHeartbeatManager, written down here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.controller import Election
from epochal.spec.kraft.options.cleared_elr import ClearedElr
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Replica
from epochal.spec.language import Set, action

from ..validation.controller import ModelStep, controller_model
from ..validation.image import NOBODY
from .controller_lines import ChangingSettings, KnownState
from .requests import CAUGHT_UP, ControllerRequest, ControllerSpecification

Ways = dict[KnownState, list[ModelStep]]

FENCING = frozenset({"expire", "fence", "restart", "shut_down", "unregister"})
"""Requests after which a broker does not wait any more."""


class FruitlessElection(ClearedElr):
    """ElectLeaders where nobody else is elected: the change is written all the same if it changes anything.

    Where settings do not change nothing is left for it. But an ELR is left over where the feature was switched off, and
    where the minimum was lowered meanwhile; up to 4.0 a last known leader, too.
    """

    @action(by="operator", to="controller", sends="ElectLeaders", says="ElectLeaders finds nobody else to elect")
    def elect_nobody(self, successor: Replica | None) -> None:
        """ReplicationControlManager.electLeader: what PartitionChangeBuilder has built is written."""
        self.change_partition(self.metadata[0].isr, successor, Set(), election=Election.ONLINE)


def _is_built(state: KnownState, request: ControllerRequest) -> bool:
    """Whether a change is built: not for a preferred replica that leads, and not uncleanly where there is a leader."""
    leader = state.partition.leader
    return leader == NOBODY if request.action == "elect unclean" else leader != request.broker


class ChangingSpecification:
    """Where each request leads, in states that say what is in force and who waits."""

    def __init__(
        self, kind: type[ConfigurableKraft], settings: Settings, brokers: int, minimum_is_default: bool
    ) -> None:
        self._minimum_is_default = minimum_is_default
        clearing = with_more(kind, FruitlessElection)

        def under(in_force: ChangingSettings) -> ControllerSpecification:
            now = replace(settings, elr=in_force.elr, min_insync_replicas=in_force.min_isr)
            return ControllerSpecification(controller_model(clearing, now, brokers), now)

        self._under = cache(under)

    def ways(self, state: KnownState, request: ControllerRequest) -> Ways:
        """Where a request may lead, with the steps that lead there; to the state as it is if there is no step."""
        assert state.in_force is not None
        broker, here = request.broker, self._under(state.in_force)
        match request.action:
            case "min isr":
                return self._with_minimum(state, request.some)
            case "elr":
                return {state._replace(in_force=state.in_force._replace(elr=bool(request.some))): []}
            case "take office":
                return {state._replace(leaving=0, forgotten=state.leaving | state.forgotten): []}
            case "leave":
                return self._heartbeat(state, broker, True, request.how == CAUGHT_UP)
            case "heartbeat":
                return self._heartbeat(state, broker, False, False)
            case "fence" if state.leaving >> broker & 1:
                return self._heartbeat(state, broker, False, False)
            case "expire" | "fence" if state.forgotten >> broker & 1 or state.leaving >> broker & 1:
                steps = here.model.steps(here.state(state), "fence", broker)
                return self._told(_fenced(state, broker), here, steps) or {_fenced(state, broker): []}
        found = here.ways(state, request)
        if request.action.startswith("elect") and not any(found.values()) and _is_built(state, request):
            found = self._told(state, here, here.model.steps(here.state(state), "elect_nobody"))
        after = _fenced(state, broker) if request.action in FENCING else state
        return {
            one._replace(leaving=after.leaving, forgotten=after.forgotten, in_force=after.in_force): steps
            for one, steps in found.items()
        }

    def _with_minimum(self, state: KnownState, value: int) -> Ways:
        """min.insync.replicas is set: what was decided by the old value is cleared (KAFKA-16540).

        A topic that has the value already is left as it is; the default of the cluster is written in any case.
        """
        assert state.in_force is not None
        here, changed = self._under(state.in_force), state._replace(in_force=state.in_force._replace(min_isr=value))
        if not state.in_force.elr or (value == state.in_force.min_isr and not self._minimum_is_default):
            return {changed: []}
        cleared = here.model.steps(here.state(state), "clear_elr")
        return self._told(changed, here, cleared) or {changed: []}

    def _heartbeat(self, state: KnownState, broker: int, wants: bool, others_caught_up: bool) -> Ways:
        """BrokerHeartbeatManager.calculateNextBrokerState of an unfenced broker, which may want to shut down.

        It waits while it leads, and then until every other one has replayed the change by which it left. A controller
        that took office meanwhile has to be asked anew.
        """
        assert state.in_force is not None
        bit, here, leads = 1 << broker, self._under(state.in_force), state.partition.leader == broker
        if state.leaving & bit:
            others = (state.active | state.forgotten) & ~bit
            if leads or (others and not others_caught_up):
                return {state: []}
        elif not wants:
            return {state: []}
        waits = leads and not state.leaving & bit
        after = _fenced(state, broker)
        after = after._replace(leaving=after.leaving | bit) if waits else after
        return self._told(after, here, here.model.steps(here.state(state), "shut_down", broker))

    def _told(self, after: KnownState, here: ControllerSpecification, steps: Iterable[ModelStep]) -> Ways:
        """Where steps lead, with what is not known to the specification."""
        found: Ways = {}
        for step in steps:
            seen = here.seen(step.after)
            known = seen._replace(leaving=after.leaving, forgotten=after.forgotten, in_force=after.in_force)
            found.setdefault(known, []).append(step)
        return found


def _fenced(state: KnownState, broker: int) -> KnownState:
    """The same when a broker does not wait any more."""
    return state._replace(leaving=state.leaving & ~(1 << broker), forgotten=state.forgotten & ~(1 << broker))
