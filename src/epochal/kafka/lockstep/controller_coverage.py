"""Which branches of the controller's rules Kafka's own controller has taken with the specification.

The closures of some settings are made, and each step of the specification that Kafka has taken as well is noted. A
closure has every state and every request, so that a branch which none has taken is taken by none of these requests.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from epochal.checker.base.numbers import counted
from epochal.checker.compile.compiler import ActionBranch
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.settings import Settings
from epochal.spec.language import Protocol

from ..validation.controller import ModelStep
from .closure import Closure, ClosureBounds, ClosureFound
from .coverage import BranchSeen, Coverage, Watched
from .harness import RunningKafka
from .requests import ACTIONS

CONTROLLER_ACTIONS = tuple(sorted(set(itertools.chain.from_iterable(ACTIONS.values()))))
"""The actions of the specification that are about the controller."""

RULES_OF_BROKERS = ("follower.py", "leader.py", "history.py", "unnoticed_restart.py")
"""Files with rules of brokers, to which a step of the controller comes as well: a process starts with `restart`."""


class WatchedController(Watched):
    """The branches of the controller's rules: those decided by what it knows, and by what is asked of it.

    What brokers know and remember is not there: a controller has a state of its own, and is compared by it alone.
    """

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(protocol, CONTROLLER_ACTIONS)

    def is_watched(self, branch: ActionBranch) -> bool:
        """Whether the branch is one of the controller's rules."""
        paths = (self.protocol.leaves[leaf].path for leaf in self.compiled.decided_by.get(branch, ()))
        return not branch.where.file.endswith(RULES_OF_BROKERS) and all(map(_known_to_controller, paths))


def _known_to_controller(path: str) -> bool:
    """Whether a leaf of the state is known to the controller: how a process has ended, it is told by that."""
    return not path.startswith(("brokers[", "metadata[")) or path.startswith("metadata[0]") or path.endswith(".status")


@dataclass(frozen=True)
class ClosureAsked:
    """A closure: settings of both sides, and bounds."""

    settings: Settings
    bounds: ClosureBounds

    def __str__(self) -> str:
        """`3 brokers, 2 replicas, min.insync.replicas 2, ELR on`."""
        settings, bounds = self.settings, self.bounds
        said = [counted(bounds.brokers, "broker"), counted(bounds.replicas, "replica")]
        said += [f"min.insync.replicas {settings.min_insync_replicas}", "ELR on" if settings.elr else "ELR off"]
        said += ["unclean leader election"] if settings.unclean_leader_election else []
        said += [f"at most {counted(bounds.reassignments, 'reassignment')}"] if bounds.reassignments else []
        said += ["log directories fail"] if bounds.directories else []
        said += ["settings change"] if bounds.settings else []
        return ", ".join(said)


def closures_for_coverage(
    settings_of: Callable[[int, bool], Settings], elr_changes: bool, brokers: int
) -> Iterator[ClosureAsked]:
    """Small closures that take what there is to be taken. `settings_of` is told the minimum, and whether unclean."""
    yield ClosureAsked(settings_of(2, False), ClosureBounds(brokers, brokers))
    yield ClosureAsked(settings_of(2, True), ClosureBounds(2, 2, directories=True))
    yield ClosureAsked(settings_of(2, False), ClosureBounds(2, 2, settings=True, elr_changes=elr_changes))
    yield ClosureAsked(settings_of(2, False), ClosureBounds(brokers, 2, reassignments=1))
    yield ClosureAsked(settings_of(1, False), ClosureBounds(2, 1, reassignments=2))


@dataclass
class ControllerCovered:
    """The branches, and each closure with what was found in it. `cut` is the budget that was spent before the end."""

    coverage: Coverage
    closures: list[tuple[ClosureAsked, ClosureFound]]
    cut: str = ""

    @property
    def differences(self) -> int:
        """How many requests differ."""
        return sum(found.differences for _, found in self.closures)


class ControllerCoverage:
    """The closures that are made, one after the other, and what was taken in them."""

    def __init__(
        self, kafka: RunningKafka, kind: type[ConfigurableKraft], told: Callable[[ClosureFound], None]
    ) -> None:
        self._kafka, self._kind, self._told = kafka, kind, told
        self._taken = Counter[ActionBranch]()
        self._of_model = set[ActionBranch]()
        self._every = set[ActionBranch]()
        self._possible: dict[ActionBranch, set[int]] = {}
        self._watched: dict[type[Protocol], WatchedController] = {}
        self.closures = list[tuple[ClosureAsked, ClosureFound]]()

    def ask(self, asked: ClosureAsked) -> None:
        """Make a closure. Of one that is interrupted what was seen counts."""
        self._watched = {}

        def note(step: ModelStep, by_kafka: bool) -> None:
            if step.instance.action.name in CONTROLLER_ACTIONS:  # and not a step that only the comparison has
                branches = self._watching(step.after).taken(step.before, step.instance)
                self._of_model.update(branches)
                if by_kafka:
                    self._taken.update(branches)

        closure = Closure(self._kafka, self._kind, asked.settings, asked.bounds, self._told, note)
        self.closures.append((asked, closure.found))
        closure.run()

    def _watching(self, protocol: Protocol) -> WatchedController:
        """The branches of a protocol: where settings change there are several."""
        kind = type(protocol)
        if kind not in self._watched:
            watched = self._watched[kind] = WatchedController(kind(protocol.bounds))
            self._every |= {branch for branch in watched.every if watched.is_watched(branch)}
            for branch in watched.possible:
                if watched.is_watched(branch):
                    self._possible.setdefault(branch, set()).add(len(self.closures))
        return self._watched[kind]

    def found(self, cut: str = "") -> ControllerCovered:
        """What is known of each branch."""
        return ControllerCovered(Coverage(list(self._seen()), []), self.closures, cut)

    def _seen(self) -> Iterator[BranchSeen]:
        for branch in sorted(self._every):
            taken, where = self._taken[branch], self._possible.get(branch, set())
            exhausted = bool(where) and not taken and branch not in self._of_model
            reason = "in none of these closures"
            if branch in self._of_model:
                reason = "the specification takes it, and Kafka does not"
            elif where:
                reason = f"{_how_many(len(where), len(self.closures))} may have it, and no request in their states has"
            yield BranchSeen(branch, taken, bool(where), exhausted, "" if taken else reason)


def _how_many(some: int, of: int) -> str:
    return "all closures" if some == of else f"{some} of {counted(of, 'closure')}"
