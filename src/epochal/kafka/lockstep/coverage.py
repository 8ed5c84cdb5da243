"""Which branches of the specification's actions Kafka's classes have taken with it, and runs to those that are missing.

A branch is one way out of an `if` or a conditional expression of a rule, in one action that comes to it. Under which
condition a step takes it is known from the compiled rule, so that nothing is traced. That an action is taken at all
counts as a branch of its own.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

from epochal.checker.base.numbers import counted
from epochal.checker.compile.compiler import ActionBranch, compile_branches
from epochal.checker.ir.expression import Evaluation
from epochal.checker.search.result import Options
from epochal.checker.search.shortest import OnSteps, ShortestRuns, shortest_runs
from epochal.checker.semantics.semantics import Codes
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.configuration import SMALL_BOUNDS, ConfigurableKraft
from epochal.spec.kraft.generations import FIRST_WITH_ELR, GENERATIONS, NEWEST, VERSIONS, numbered
from epochal.spec.language import ActionInstance, Protocol, SettingValue
from epochal.spec.language.configurable import with_configuration

from .driven import Outcome
from .family import KafkaRequest
from .models import playable

# -- watched ----------------------------------------------------------------------------------------------------------


def action_itself(instance: ActionInstance) -> ActionBranch:
    """That an action is taken: a branch that stands in no function."""
    return ActionBranch(instance.action.name, replace(instance.action.where, function=""), True)


def shown_branch(branch: ActionBranch) -> str:
    """`spec/kraft/follower.py:54 fetch, true`; of an action itself that it is taken."""
    where, function = branch.where, branch.where.function
    return f"{where} {function}, {str(branch.taken).lower()}" if function else f"{where} is taken at all"


class Watched:
    """The branches of a model within its bounds: those that some state allows, and which of them a step takes."""

    def __init__(self, protocol: Protocol, actions: Collection[str] | None = None) -> None:
        """With `actions` no other action is looked at."""
        self.protocol = protocol
        self.compiled = compile_branches(protocol, actions)
        self._never = self.compiled.model.graph.false
        self._evaluations: dict[int, tuple[tuple[ActionBranch, ...], Evaluation]] = {}
        self._state: tuple[Codes, dict[int, int]] = ((), {})

    @cached_property
    def every(self) -> frozenset[ActionBranch]:
        """Every branch in the text of the actions, also those that these settings rule out."""
        found = {branch for ways in self.compiled.on_step.values() for branch in ways}
        watched = (one for one in self.protocol.instances if one.number in self.compiled.on_step)
        return frozenset(found | {action_itself(one) for one in watched})

    @cached_property
    def possible(self) -> frozenset[ActionBranch]:
        """Those of which nothing in the rules alone says that no step takes them."""
        found = set[ActionBranch]()
        for compiled in self.compiled.model.instances:
            ways = self.compiled.on_step[compiled.instance.number]
            found |= {action_itself(compiled.instance), *(one for one, on in ways.items() if on is not self._never)}
        return frozenset(found)

    def taken(self, codes: Codes, instance: ActionInstance) -> list[ActionBranch]:
        """The branches that a step takes from a state that enables it."""
        known = self._evaluations.get(instance.number)
        if known is None:
            ways = {one: on for one, on in self.compiled.on_step[instance.number].items() if on is not self._never}
            known = self._evaluations[instance.number] = tuple(ways), Evaluation(tuple(ways.values()))
        branches, conditions = known
        if self._state[0] != codes:
            self._state = codes, {}
        answers = zip(branches, conditions(codes, self._state[1]), strict=True)
        return [action_itself(instance), *(branch for branch, taken in answers if taken)]

    def conditions(self, branch: ActionBranch) -> OnSteps:
        """Under which condition each step takes a branch."""
        if branch in map(action_itself, self.protocol.instances):
            enabled = {one.instance.number: one.enabled for one in self.compiled.model.instances}
            instances = self.protocol.instances
            return {number: on for number, on in enabled.items() if action_itself(instances[number]) == branch}
        ways = ((number, ways.get(branch, self._never)) for number, ways in self.compiled.on_step.items())
        return {number: on for number, on in ways if on is not self._never}


# -- guide ------------------------------------------------------------------------------------------------------------


class Guide:
    """Draws what takes the branches that were taken least, and counts those that were taken."""

    def __init__(self, watched: Watched) -> None:
        self.watched = watched
        self.taken: Counter[ActionBranch] = Counter()
        self._of_action: dict[str, list[ActionBranch]] = {}
        for branch in sorted(watched.possible):
            self._of_action.setdefault(branch.action, []).append(branch)

    def weight(self, action: str) -> float:
        """How often an action is to be drawn: the more the less its branches were taken."""
        branches = self._of_action[action]
        return 1 + 10 * sum(1 / (1 + self.taken[one]) for one in branches) / len(branches)

    def drawn(
        self, dice: random.Random, codes: Codes, possible: Sequence[tuple[KafkaRequest, list[Outcome]]]
    ) -> tuple[KafkaRequest, list[Outcome]]:
        """One of some requests, by the branch of each that was taken least."""
        weights = [max(self._rarity(codes, instance) for instance, _ in outcomes) for _, outcomes in possible]
        (found,) = dice.choices(possible, weights)
        return found

    def _rarity(self, codes: Codes, instance: ActionInstance) -> float:
        return max(1 / (1 + self.taken[one]) for one in self.watched.taken(codes, instance))

    def note(self, codes: Codes, instance: ActionInstance) -> None:
        """Both sides have taken a step from a state."""
        self.taken.update(self.watched.taken(codes, instance))


# -- what is missing --------------------------------------------------------------------------------------------------

THREE_BROKERS: Mapping[str, int] = {**SMALL_BOUNDS, "replication_factor": 3, "fencings": 2, "shrinks": 2}
SEARCHED: Sequence[Mapping[str, int]] = (SMALL_BOUNDS, THREE_BROKERS)
"""Where a run to a branch is looked for: first where all states are seen."""

MOST_STATES = 300_000
"""How many states the second of these searches may see. The first is exhaustive: what it has not is in no state."""


def shown_place(protocol: Protocol) -> str:
    """`2 brokers`."""
    return f"{protocol.bounds.as_dict()['replication_factor']} brokers"


def models_to_search(protocol: ConfigurableKraft) -> list[Watched]:
    """The same model within bounds that can be searched, with steps only that Kafka's classes can be asked for."""
    return [Watched(playable(protocol, bounds)) for bounds in SEARCHED]


@dataclass(frozen=True)
class Looked:
    """A search of a model for runs to branches: for which of them, and what it has found."""

    watched: Watched
    wanted: frozenset[ActionBranch]
    runs: Mapping[ActionBranch, Trace]
    states: int
    depth: int
    cut: str

    @property
    def says(self) -> str:
        """`in none of all 197,912 states with 2 brokers`: of a branch to which there is no run."""
        seen = counted(self.states, "state")
        return f"in none of {'the first' if self.cut else 'all'} {seen} with {shown_place(self.watched.protocol)}"

    @property
    def rules_out(self) -> str:
        """Of a branch that no state within these bounds can take, as its condition says."""
        return f"ruled out by the bounds with {shown_place(self.watched.protocol)}"


def look_for(watched: Watched, missing: frozenset[ActionBranch], most_states: int | None) -> Looked:
    """Search a model for shortest runs to branches, among all its states if `most_states` is None."""
    possible = sorted(missing & watched.possible)
    wanted = {str(number): watched.conditions(branch) for number, branch in enumerate(possible)}
    options = Options(max_states=most_states, workers=1)
    found = shortest_runs(watched.compiled.model, wanted, options) if wanted else ShortestRuns({}, 0, 0, "")
    runs = {possible[int(number)]: run for number, run in found.runs.items()}
    return Looked(watched, frozenset(possible), runs, found.states, found.depth, found.cut)


# -- where else -------------------------------------------------------------------------------------------------------


def elsewhere(protocol: ConfigurableKraft, missing: frozenset[ActionBranch]) -> dict[ActionBranch, str]:
    """For branches that the settings of a model rule out: settings under which a step may take each, if there are.

    First one setting is changed, then the release.
    """
    found, base = dict[ActionBranch, str](), type(protocol)
    for label, kind in _settings(base):
        left = missing - found.keys()
        if not left:
            break
        possible = Watched(kind(None, **SMALL_BOUNDS)).possible
        found |= dict.fromkeys(left & possible, label)
    return found


def _settings(base: type[ConfigurableKraft]) -> Iterator[tuple[str, type[ConfigurableKraft]]]:
    now = base.configuration
    said: list[tuple[str, SettingValue]] = [
        ("unclean_leader_election", not base.settings.unclean_leader_election),
        ("min_insync_replicas", 1),
        ("acks", "1"),
    ]
    if numbered(str(now.get("kafka", NEWEST))) >= FIRST_WITH_ELR:
        said.append(("elr", not base.settings.elr))
    for name, value in said:
        shown = ("on" if value else "off") if isinstance(value, bool) else value
        yield f"{name} {shown}", _configured(base, {**now, name: value})
    seen = [base.settings]
    for name, settings in reversed({**GENERATIONS, **VERSIONS}.items()):
        if settings not in seen:
            seen.append(settings)
            shown = f"the rules as designed, {name}" if name in GENERATIONS else f"Kafka {name}"
            yield shown, _configured(base, {"kafka": name})


def _configured(base: type[ConfigurableKraft], said: Mapping[str, SettingValue]) -> type[ConfigurableKraft]:
    return cast("type[ConfigurableKraft]", with_configuration(base, said))


# -- report -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BranchSeen:
    """A branch, how often Kafka has taken it, and where it has not, why not.

    `possible` says that these settings allow it, and `exhausted` that no run within the bounds of an exhaustive search
    takes it.
    """

    branch: ActionBranch
    taken: int
    possible: bool
    exhausted: bool
    reason: str


@dataclass
class Coverage:
    """Every branch of a model's actions, and what is known of each. `looked` are the searches for what was missing."""

    branches: list[BranchSeen]
    looked: list[Looked]

    @property
    def taken(self) -> list[BranchSeen]:
        """Those that Kafka has taken."""
        return [one for one in self.branches if one.taken]

    @property
    def missing(self) -> list[BranchSeen]:
        """Those that it has not, although these settings allow them, and no exhaustive search rules them out."""
        return [one for one in self.branches if not one.taken and one.possible and not one.exhausted]

    @property
    def unreached(self) -> list[BranchSeen]:
        """Those that these settings allow, and no run of an exhaustive search takes."""
        return [one for one in self.branches if not one.taken and one.possible and one.exhausted]

    @property
    def elsewhere(self) -> list[BranchSeen]:
        """Those that these settings rule out."""
        return [one for one in self.branches if not one.possible]

    @property
    def percent(self) -> float:
        """How many of a hundred branches Kafka has taken, of those that it may for all that is known."""
        taken = len(self.taken)
        return 100 * taken / max(1, taken + len(self.missing))


def coverage_of(
    watched: Watched,
    taken: Mapping[ActionBranch, int],
    looked: Sequence[Looked],
    other: Mapping[ActionBranch, str],
    directed: Mapping[ActionBranch, str],
) -> Coverage:
    """What is known of each branch: what was taken, where the rest was looked for, and why runs were not followed."""
    found = []
    for branch in sorted(watched.every):
        possible, count = branch in watched.possible, taken.get(branch, 0)
        asked = [one for one in looked if branch in one.wanted and branch not in one.runs]
        exhausted = possible and not count and any(not one.cut for one in asked)
        ruled_out = [one.rules_out for one in looked if branch not in one.watched.possible]
        reason = "" if count else directed.get(branch) or "; ".join([*(one.says for one in asked), *ruled_out])
        if not possible:
            reason = f"with {other[branch]}" if branch in other else "in none of the settings that were tried"
        found.append(BranchSeen(branch, count, possible, exhausted, reason))
    return Coverage(found, list(looked))
