"""The specification as a recorded run is looked for in it: its own steps, taken one by one from states in code.

What only counts or remembers (bounds that are used up, history for properties) is left blank in every state, so that
states which differ in nothing else are one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.observed import ObservedBounds, ObservedSteps
from epochal.spec.kraft.options.needed import missing_steps
from epochal.spec.kraft.settings import Acks, Settings
from epochal.spec.language import ActionInstance, Identifier, Set
from epochal.spec.language.protocol import Scratch, to_read

from ...evidence.broker_log import Truncated
from ..controller import with_steps
from ..image import NOBODY
from .evidence import Life, named_by

Codes = tuple[int, ...]

PARTITION = (
    *("metadata[0].leader", "metadata[0].leader_epoch", "metadata[0].isr"),
    *("recovery.elr", "recovery.last_known_leader", "recovery.recovering"),
    *("replicas[0]", "adding", "removing"),
)
"""Where in a state the partition stands, as the controller knows it."""

RECORD = 2
"""A record in the code of a log: its id and its epoch."""

MOST_READ = 64
"""So many states for reading are kept: a moment is settled, held to be hopeless or not, and gone on from, in a row."""

Argument = int | None | frozenset[int]
"""How a step is asked for: a broker by its place (or a number as it is), nobody, or a set of places."""


def observed(kind: type[ConfigurableKraft], settings: Settings, acks: Acks = Acks.NONE) -> type[ConfigurableKraft]:
    """A protocol with every step that brokers have been seen to take, under settings.

    Rules about steps that are not among these are as designed. With acks=0 producers may wait for anything: what they
    were told is not part of the state.
    """
    return with_steps(ObservedSteps, kind, settings, acks=acks)


def without_steps(kind: type[ConfigurableKraft], settings: Settings) -> set[str]:
    """The rules that settings take away, and for which no run has steps, whatever steps the protocol itself has."""
    made = type(kind.__name__, (ObservedSteps, kind), {"__doc__": kind.__doc__})
    return {*missing_steps(made, settings), *missing_steps(ObservedSteps, settings)}


class RunModel:
    """A protocol within bounds: it takes steps by name, and knows where in the code of a state what stands."""

    def __init__(self, protocol: Any) -> None:
        self.protocol = protocol
        self.blank: Codes = self.protocol.codes()
        self._scratch = Scratch(protocol)
        self.read: Callable[[Codes], Any] = lru_cache(maxsize=MOST_READ)(partial(to_read, protocol))
        """The state with these codes, for reading alone: whoever asks soon after has the same."""

        self.ids: tuple[Identifier, ...] = tuple(self.protocol.brokers)
        self._place = {of: place for place, of in enumerate(self.ids)}
        self._instances = {
            (one.action.name, tuple(map(self._argument, one.arguments))): one for one in self.protocol.instances
        }
        self._choices: dict[str, tuple[tuple[Argument, ...], ...]] = {}
        for action, arguments in self._instances:
            self._choices[action] = (*self._choices.get(action, ()), arguments)
        self._forgotten = [
            at
            for variable in self.protocol.variables.values()
            if variable.ghost or variable.bookkeeping
            for at in range(variable.first_leaf, variable.first_leaf + variable.domain.leaf_count)
        ]
        paths = {leaf.path: at for at, leaf in enumerate(self.protocol.leaves)}
        self._registered = [paths[f"registrations[{of}].broker_epoch"] for of in self.ids]
        self._end = [paths[f"brokers[{of}].log.end"] for of in self.ids]
        self._epoch_start = [paths[f"brokers[{of}].epoch_start"] for of in self.ids]
        self._known = [paths[f"brokers[{of}].followers[{other}]"] for of in self.ids for other in self.ids]
        self._hw = [paths[f"brokers[{of}].hw"] for of in self.ids]
        self._behind = [paths[f"brokers[{of}].behind"] for of in self.ids]
        self._offline = paths["offline"]
        self._next_record = paths["next_record"]
        self._partition = tuple((paths[path], self._decoder(paths[path])) for path in PARTITION)
        self._request = {
            name: paths[f"request.{name}"] for name in ("leader", "broker_epoch", "joining", "joining_epoch")
        }

    def at(self, codes: Codes) -> Any:
        """The state with these codes, of which the caller may do what it likes."""
        return self.protocol.at(codes)

    def step(self, codes: Codes, action: str, *arguments: Argument) -> Codes | None:
        """The state after a step, None if it cannot happen."""
        instance = self.instance(action, *arguments)
        if instance is None:
            return None
        if action == "produce":  # a record's id is its offset
            place = arguments[0]
            assert isinstance(place, int)
            codes = (*codes[: self._next_record], self.end(codes, place), *codes[self._next_record + 1 :])
        found = self._scratch.step(codes, instance)
        return None if found is None else self.forgetful(found)

    def taken(self, codes: Codes, instance: ActionInstance) -> Codes | None:
        """The same of a state in which nothing is left blank, and nothing is in the state after it."""
        return self._scratch.step(codes, instance)

    def of(self, action: str, place: int = NOBODY) -> tuple[tuple[Argument, ...], ...]:
        """The choices of an action, of one broker if it is said (its first argument)."""
        choices = self._choices.get(action, ())
        return choices if place == NOBODY else tuple(one for one in choices if one[0] == place)

    def partition(self, codes: Codes) -> tuple[Argument, ...]:
        """The partition as the controller knows it: leader, leader epoch, ISR, ELR, last known leader, and the rest."""
        return tuple(decode(codes[at]) for at, decode in self._partition)

    def hw(self, codes: Codes, place: int) -> int:
        """The high watermark of a broker."""
        return codes[self._hw[place]]

    def offline(self, codes: Codes) -> frozenset[int]:
        """The brokers whose replica is in a log directory that is not online."""
        bits = codes[self._offline]
        return frozenset(place for place in range(len(self.ids)) if bits >> place & 1) if bits else frozenset()

    def is_requested(self, codes: Codes) -> bool:
        """Whether an AlterPartition is on its way."""
        return codes[self._request["leader"]] > 0

    def end(self, codes: Codes, place: int) -> int:
        """The log end of a broker."""
        return codes[self._end[place]]

    def without_first(self, codes: Codes, records: int) -> Codes:
        """A state without the first records of every log: offsets count from where these end."""
        left = list(codes)
        for end, hw, start in zip(self._end, self._hw, self._epoch_start, strict=True):
            length = left[end]
            first, kept = end + 1, max(0, length - records)
            for at in range(kept):
                ahead = first + RECORD * (at + records)
                left[first + RECORD * at] = left[ahead] - records  # its id is its offset
                left[first + RECORD * at + 1] = left[ahead + 1]
            left[first + RECORD * kept : first + RECORD * length] = [0] * (RECORD * (length - kept))
            left[end] = kept
            left[hw], left[start] = max(0, left[hw] - records), max(0, left[start] - records)
        for at in self._known:
            if left[at] > 0:  # it is known
                left[at] = max(1, left[at] - records)
        return tuple(left)

    def has_appended(self, before: Codes, after: Codes) -> bool:
        """Whether a step appended a change: every broker that runs is one more behind."""
        return any(before[at] < after[at] for at in self._behind)

    def instance(self, action: str, *arguments: Argument) -> ActionInstance | None:
        """The step with these arguments; None if it has none such, or the protocol has no such step."""
        return self._instances.get((action, arguments))

    def forgetful(self, codes: Codes) -> Codes:
        """A state without what only counts and remembers. Broker epochs are compared for being equal, and no more."""
        left = list(codes)
        for at in self._forgotten:
            left[at] = 0
        leader, joining = left[self._request["leader"]] - 1, left[self._request["joining"]] - 1
        for place, at in enumerate(self._registered):
            if place == leader:
                left[self._request["broker_epoch"]] = int(left[self._request["broker_epoch"]] == codes[at])
            if place == joining:
                left[self._request["joining_epoch"]] = int(left[self._request["joining_epoch"]] == codes[at])
            left[at] = 1
        return tuple(left)

    def set_of(self, places: Iterable[int]) -> Set[Identifier]:
        """The brokers at these places."""
        return Set(self.ids[place] for place in places)

    def places(self, some: Set[Identifier]) -> frozenset[int]:
        """The places of brokers."""
        return frozenset(self._place[of] for of in some)

    def place(self, of: Identifier | None) -> int:
        """The place of a broker, or nobody's."""
        return NOBODY if of is None else self._place[of]

    def _decoder(self, at: int) -> Callable[[int], Argument]:
        """From the code of a leaf to its value as arguments are told."""
        domain = self.protocol.leaves[at].domain

        def decode(code: int) -> Argument:
            value = self._argument(domain.unflatten((code,), 0, None))
            return NOBODY if value is None else value

        return lru_cache(maxsize=None)(decode)

    def _argument(self, value: Any) -> Argument:
        if value is None or isinstance(value, int):
            return value
        if isinstance(value, Identifier):
            return self._place[value]
        return self.places(value)


@lru_cache(maxsize=64)
def run_model(
    kind: type[ConfigurableKraft], settings: Settings, bounds: ObservedBounds, acks: Acks = Acks.NONE
) -> RunModel:
    """The model for these settings and bounds, made once. All of a kind and bounds have states of the same form."""
    return RunModel(observed(kind, settings, acks)(bounds))


# -- moment -----------------------------------------------------------------------------------------------------------
# A moment of a run: the state of the specification, and how far each part of the evidence has been explained.


class HowFar(NamedTuple):
    """How far a broker's evidence is explained: which of its lives, and the place in each lane of that."""

    life: int
    places: tuple[int, ...]

    @staticmethod
    def begins(number: int, lives: Sequence[Life]) -> HowFar:
        """Nothing of a life is explained."""
        return HowFar(number, (0,) * len(lives[number].lanes) if lives else ())

    def then(self, lane: int, at: int) -> HowFar:
        """The same with another place in a lane."""
        return self._replace(places=(*self.places[:lane], at, *self.places[lane + 1 :]))

    def following(self, lives: Sequence[Life]) -> Life | None:
        """The next life, if there is one."""
        return lives[self.life + 1] if self.life + 1 < len(lives) else None


class Juncture(NamedTuple):
    """A state, how many decisions were taken, how far each broker is, and the partition epochs of the changes.

    `epochs[n]` is the partition epoch of `metadata[n]`: a broker that is n changes behind acts on that one. Some
    changes are none to the specification; `last_epoch` counts these as well. The logs of the state begin at the place
    `base` of the offsets at which something happened. `losses` counts the crashes that have lost the end of a log,
    where that is limited.
    """

    codes: Codes
    decisions: int
    brokers: tuple[HowFar, ...]
    epochs: tuple[int, ...]
    last_epoch: int
    explained: int
    base: int = 0
    losses: int = 0

    def with_broker(self, place: int, reached: HowFar, codes: Codes | None = None, lines: int = 0) -> Juncture:
        """The same with a broker further on, in another state if one is given."""
        brokers = (*self.brokers[:place], reached, *self.brokers[place + 1 :])
        return self._replace(
            brokers=brokers, codes=self.codes if codes is None else codes, explained=self.explained + lines
        )


class Step(NamedTuple):
    """A step of the specification: its action, and the arguments by which the model knows it."""

    action: str
    arguments: tuple[Argument, ...]


class Move(NamedTuple):
    """What may come next: steps of the specification, and the moment after them."""

    steps: tuple[Step, ...]
    after: Juncture


# -- leeway -----------------------------------------------------------------------------------------------------------
# How much a run may do of which nothing tells. Of the runs that explain everything a mild one is told.
#
# A follower may have copied a record, and lost it in a crash, without a trace; so may every broker that ever crashed. A
# run that needs none of that explains as much, and accuses nobody.


@dataclass(frozen=True)
class Leeway:
    """`losses` is how many crashes may lose the end of a log; None, as many as there are.

    `forgets` is whether a crash may take a high watermark back to an older checkpoint. `any_acks` is whether leaders
    append where their ISR is smaller than `min.insync.replicas`, which no producer with acks=all makes them do.
    """

    losses: int | None = None
    forgets: bool = True
    any_acks: bool = True

    def may_lose(self, lost: int) -> bool:
        """Whether one more crash may lose something, after so many."""
        return self.losses is None or lost < self.losses


WIDEST = Leeway()
"""Everything that the specification allows: where no run is found with this there is none."""


def from_the_mildest(brokers: Iterable[Sequence[Life]], any_acks: bool) -> tuple[Leeway, ...]:
    """What is tried, one after the other: what the evidence shows to be lost, one crash more, and everything.

    `any_acks` says that producers are known to wait for less than the ISR.
    """
    ends = [one for lives in brokers for one in _ends(lives)]
    lost, forgets = sum(one.loses for one in ends), any(one.forgets for one in ends)
    mild = [Leeway(lost, True, any_acks), Leeway(lost + 1, True, any_acks)]
    return (*([] if forgets else [Leeway(lost, False, any_acks)]), *mild, WIDEST)


@dataclass(frozen=True)
class _End:
    """What a process is known to lose when it ends: of its log, and of its high watermark where that was kept."""

    loses: bool
    forgets: bool


def _ends(lives: Sequence[Life]) -> Iterator[_End]:
    """The ends of a broker's processes: what each has said at last, and the next finds on its disk."""
    for life, following in pairwise(lives):
        start = following.start
        if start is None or start.process is None:
            continue
        end, hw = _last_said(life)
        loses = start.kept is not None and start.kept < end
        kept = end if start.kept is None else min(start.kept, end)
        yield _End(loses, start.stored is not None and start.stored < min(hw, kept))


def _last_said(life: Life) -> tuple[int, int]:
    """How far log and high watermark are known to be when a life ends: what was said before a truncation is gone."""
    end = hw = 0
    for event in (one.event for lane in life.lanes for one in lane):
        said_end, said_hw = named_by(event)
        if isinstance(event, Truncated):
            end, hw = event.offset, min(hw, event.offset)
        else:
            end, hw = max(end, said_end or 0), max(hw, said_hw or 0)
    return max(end, hw), hw
