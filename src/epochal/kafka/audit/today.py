"""Questions of the day: may a broker be stopped now, or two, or a rack; and what a loss of power would do.

What happens to a partition is read from its replicas, its ISR and its ELR as the files have them; what happens to its
records is decided by searches of its class, of the release as it was shipped and as it was designed. A replica that is
out of sync already counts as one fault that has happened.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from epochal.errors import UsageError
from epochal.sentences import LONGEST

from .decided import Answered, Decider, severity
from .finding import Audited
from .said import is_number
from .tool_output import Partition
from .topic_class import Classified, Kind

Verb = Literal["stop", "power", "roll"]
Verdict = Literal["no", "not known", "writes stop", "yes"]
WORST_FIRST: tuple[Verdict, ...] = ("no", "not known", "writes stop", "yes")

HOW = "Write stop, stop:3, stop:1,2, stop:any=2, stop:rack=a, power:3, power:rack=a, or roll."

NO_RACKS = (
    "No file names a rack: add the output of 'kafka-configs --describe --all --entity-type brokers' (broker.rack)."
)
MOST_FAULTS = 2
"""How many faults of one partition are searched."""


@dataclass(frozen=True)
class Effect:
    """What happens to some partitions: `verdict` is how bad that is, `why` says it in words.

    `runs` are the searches behind it: of a NO the run that shows it.
    """

    verdict: Verdict
    why: str
    partitions: tuple[str, ...]
    runs: tuple[tuple[Kind, Answered], ...] = ()


@dataclass(frozen=True)
class DayAnswer:
    """The answer to one question. `effects` are told worst first; none: nothing is noticed."""

    question: str
    effects: tuple[Effect, ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of what happens."""
        return min((one.verdict for one in self.effects), key=WORST_FIRST.index, default="yes")


@dataclass(frozen=True)
class _Gone:
    """Brokers that are gone at once, or `any` so many. `power` says that they lose what they have not flushed."""

    words: str
    brokers: frozenset[int]
    any: int = 0
    power: bool = False


def day_answers(audited: Audited, questions: Sequence[str]) -> tuple[DayAnswer, ...]:
    """The answers, in the order of the questions.

    Raises UsageError for what is no question, and for a broker or a rack that no file names.
    """
    found: list[DayAnswer] = []
    for question in questions:
        verb, _, who = question.partition(":")
        if verb == "roll" and not who:
            found.append(_roll(audited))
        elif verb == "stop" and not who:
            found += (_answer(audited, one) for one in _each(audited))
        elif verb in ("stop", "power") and who:
            found.append(_answer(audited, _asked(audited, question, verb == "power", who)))
        else:
            raise UsageError(f"{question[:LONGEST]!r} is no question", HOW)
    return tuple(found)


def _asked(audited: Audited, question: str, power: bool, who: str) -> _Gone:
    kind, equals, name = who.partition("=")
    verb = "lose power" if power else "be stopped"
    if equals and kind == "any":
        if not is_number(name, 1) or not 1 <= int(name) <= MOST_FAULTS:
            raise UsageError(f"{question[:LONGEST]!r}: any={MOST_FAULTS} is the most that is searched", HOW)
        words = "any broker" if name == "1" else f"any {name} brokers at once"
        return _Gone(f"may {words} {verb}?", frozenset(), int(name), power)
    if equals and kind == "rack":
        members = frozenset(id for id, racks in audited.cluster.racks.items() if name in racks)
        if not members:
            racks = sorted({one for several in audited.cluster.racks.values() for one in several})
            raise UsageError(
                f"no broker is in rack {name[:LONGEST]!r}", f"Racks: {', '.join(racks[:12])}." if racks else NO_RACKS
            )
        return _Gone(f"may rack {name} {verb} ({_numbered(members)})?", members, power=power)
    numbers = who.split(",")
    if equals or not all(is_number(one.strip()) for one in numbers):
        raise UsageError(f"{question[:LONGEST]!r} is no question", HOW)
    brokers = frozenset(int(one) for one in numbers)
    known = audited.cluster.brokers
    if known and not brokers <= known:
        raise UsageError(f"no file names broker {min(brokers - known)}", f"Brokers: {_listed(known)}.")
    return _Gone(f"may {_numbered(brokers)} {verb}?", brokers, power=power)


def _numbered(brokers: frozenset[int]) -> str:
    return f"{'brokers' if len(brokers) > 1 else 'broker'} {_listed(brokers)}"


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _each(audited: Audited) -> Iterator[_Gone]:
    """Each broker in turn. Raises UsageError if no file names one."""
    if not audited.cluster.brokers:
        raise UsageError("no file names a broker", "Ask stop:any=1, or add the output of 'kafka-topics --describe'.")
    for one in sorted(audited.cluster.brokers):
        yield _Gone(f"may broker {one} be stopped?", frozenset({one}))


def _answer(audited: Audited, asked: _Gone) -> DayAnswer:
    effects = [*_controllers(audited, asked)]
    for one in audited.topics:
        effects += _of_topic(audited, one, asked)
    effects += (
        Effect("not known", "no file says how many replicas it has", (topic.name,)) for topic in audited.unknown
    )
    return DayAnswer(asked.words, tuple(_together(effects)))


def _together(effects: Iterable[Effect]) -> list[Effect]:
    """The same with partitions alike in one, the worst first."""
    found: dict[tuple[Verdict, str], Effect] = {}
    for one in effects:
        known = found.get((one.verdict, one.why))
        if known is not None:
            one = replace(known, partitions=_names(known, one), runs=_once((*known.runs, *one.runs)))
        found[one.verdict, one.why] = one
    return sorted(found.values(), key=lambda one: WORST_FIRST.index(one.verdict))


def _names(*several: Effect) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for one in several for name in one.partitions))


def _once(runs: Iterable[tuple[Kind, Answered]]) -> tuple[tuple[Kind, Answered], ...]:
    return tuple({(kind, one.fault.id): (kind, one) for kind, one in runs}.values())


def _roll(audited: Audited) -> DayAnswer:
    """Each broker alone, when all others are back in the ISR: any order does where each stop does."""
    effects: list[Effect] = []
    late = [
        f"{one.topic.name}-{partition.number}"
        for one in audited.topics
        for partition in one.topic.partitions.values()
        if partition.leader is None or not set(partition.members) <= set(partition.isr)
    ]
    if late:
        effects.append(Effect("no", "a replica is out of sync now: wait until all are in sync", tuple(late)))
    healed = replace(audited, topics=tuple(map(_healed, audited.topics)))
    each = list(_each(healed)) if audited.cluster.brokers else [_Gone("", frozenset(), 1)]
    effects += (effect for one in each for effect in _answer(healed, one).effects)
    for kind, topics in audited.classes.items():
        names = tuple(one.topic.name for one in topics)
        if kind.copies > 1:
            effects += (_overlapping(one, names) for one in _records(audited.decider, kind, 2, False))
    order = [str(one) for one in _last_controllers(audited)]
    then = f", in the order {', '.join(order)}" if order else ""
    words = f"may all brokers be restarted, one after the other, each when all are in sync again{then}?"
    return DayAnswer(words, tuple(_together(effects)))


def _overlapping(one: Effect, names: tuple[str, ...]) -> Effect:
    """What two stops do that are decided with all their overlaps: a NO is one only for who does not wait."""
    if one.verdict != "no":
        return replace(one, partitions=names)
    return replace(one, verdict="yes", why=f"if the next is stopped too early: {one.why}", partitions=names)


def _healed(one: Classified) -> Classified:
    """A topic all of whose replicas are in sync."""
    partitions = {
        number: replace(partition, isr=partition.members, leader=partition.members[0], elr=partition.elr and ())
        for number, partition in one.topic.partitions.items()
    }
    return replace(one, topic=replace(one.topic, partitions=partitions))


def _last_controllers(audited: Audited) -> list[int]:
    """The brokers, those that vote last: while a voter restarts, one less may fail."""
    voting = {*audited.cluster.voters, *(node.id for node in audited.cluster.nodes.values() if node.is_controller)}
    return sorted(audited.cluster.brokers, key=lambda one: (one in voting, one))


def _controllers(audited: Audited, asked: _Gone) -> Iterator[Effect]:
    """Whether a majority of voters that keep up is left."""
    voters = audited.cluster.voters
    gone = voters.keys() & asked.brokers
    if not gone:
        return
    left = [one for one in voters.values() if one.node not in gone and not one.is_behind]
    if len(left) <= len(voters) // 2:
        why = f"{len(left)} of {len(voters)} controllers are left, and no majority: nothing is elected any more"
        yield Effect("no", why, ())


def _of_topic(audited: Audited, one: Classified, asked: _Gone) -> Iterator[Effect]:
    if not one.topic.partitions:
        for kind in one.kinds:
            gone = min(asked.any or len(asked.brokers), kind.copies)
            yield from _of_class(audited, kind, gone, asked.power, one.topic.name)
        return
    for partition in one.topic.partitions.values():
        kinds = [kind for kind in one.kinds if kind.copies == partition.copies]
        name = f"{one.topic.name}-{partition.number}"
        several = [
            _of_partition(audited, kinds, partition, gone, asked.power, name) for gone in _sets(partition, asked)
        ]
        yield from min(several, key=_how_bad, default=[])


def _sets(partition: Partition, asked: _Gone) -> Iterator[frozenset[int]]:
    """The replicas of a partition that are gone: those that were named, or any so many."""
    if asked.any:
        few = min(asked.any, len(partition.members))
        yield from (frozenset(one) for one in itertools.combinations(partition.members, few))
    elif gone := asked.brokers & set(partition.members):
        yield gone


def _how_bad(effects: list[Effect]) -> list[int]:
    return [*sorted(WORST_FIRST.index(one.verdict) for one in effects), len(WORST_FIRST)]


def _of_class(audited: Audited, kind: Kind, gone: int, power: bool, name: str) -> Iterator[Effect]:
    """What happens to a topic of which no file says where its replicas are: to those that are gone, as it is taken."""
    left = kind.copies - gone
    if left == 0:
        yield Effect("no", "no replica is left: nothing is read or written", (name,))
    elif kind.acks == "all" and left < kind.min_isr:
        yield Effect("writes stop", f"{left} in sync are left, and {kind.min_isr} are asked for", (name,))
    yield from (replace(one, partitions=(name,)) for one in _records(audited.decider, kind, gone, power))


def _of_partition(
    audited: Audited, kinds: Sequence[Kind], partition: Partition, gone: frozenset[int], power: bool, name: str
) -> list[Effect]:
    """What happens to a partition when some of its replicas are gone at once."""
    waits_for = {*partition.isr, *(partition.elr or ()), *partition.last_known}
    if partition.leader is None:
        why = "it has no leader already, and waits for who would be stopped"
        return [Effect("no", why, (name,))] if gone & waits_for else []
    if not gone & waits_for:
        return []
    found: list[Effect] = []
    left = set(partition.isr) - gone
    eligible = set(partition.elr or ()) - gone if audited.elr else set()
    if not left and not eligible:
        others = set(partition.members) - gone
        if others and any(kind.unclean for kind in kinds):
            why = "nobody in sync is left, and a replica that lacks records is elected (unclean election)"
        else:
            why = "nobody in sync is left: nothing is read or written"
        found.append(Effect("no", why, (name,)))
    asked = max((kind.min_isr for kind in kinds if kind.acks == "all"), default=0)
    if left and len(left) < asked:
        already = " already" if len(partition.isr) < asked else ""
        found.append(
            Effect("writes stop", f"writes with acks=all stop{already}: fewer than {asked} are in sync", (name,))
        )
    before = partition.copies - len(set(partition.isr) & set(partition.members))
    in_sync = len(gone & set(partition.isr))
    for kind in kinds:
        for one in _records(audited.decider, kind, in_sync, power, before):
            found.append(replace(one, partitions=(name,)))
    return found


FAULT_OF = {
    (1, 0, False): "fencing",
    (1, 1, False): "two-clean",
    (2, 0, False): "two-clean",
    (1, 0, True): "lossy",
    (1, 1, True): "lossy-and-clean",
    (2, 0, True): "two-lossy",
}
"""The fault that is decided, by how many replicas in sync are gone, how many were out before, and loss of power."""


def _records(decider: Decider, kind: Kind, gone: int, power: bool, before: int = 0) -> Iterator[Effect]:
    """What happens to records of a class, as shipped and as designed."""
    if gone == 0:
        return
    if power and gone + before >= kind.copies:
        yield Effect("no", "every copy in sync loses power: what none of them has flushed is gone", ())
        return
    fault = FAULT_OF.get((gone, before, power))
    if fault is None:
        if gone + before < kind.copies or power:
            yield Effect("not known", f"more than {MOST_FAULTS} faults of one partition are not searched", ())
        return
    answered = decider.under(kind, fault)
    run = ((kind, answered),)
    if answered.designed.is_lost:
        whoever = "" if power else ", whoever leads then"
        yield Effect("no", f"{answered.fault.title}{whoever}: {LOST[answered.designed.word]}", (), run)
    elif answered.is_open or not decider.releases:
        yield Effect("not known", f"{answered.fault.title}: not decided", ())
    elif answered.shipped.is_lost:
        holes = " or ".join(answered.shipped.behind)
        yield Effect("yes", f"records are kept as designed; this release may lose some by {holes or 'a hole'}", (), run)
    else:
        yield from _if_one_more(decider, kind, gone, before, power)


LOST = {
    "acked lost": "acknowledged records are lost",
    "read lost": "records that were read are lost",
    "logs differ": "logs differ below the high watermark",
}


def _if_one_more(decider: Decider, kind: Kind, gone: int, before: int, power: bool) -> Iterator[Effect]:
    """What one more fault would do while they are gone, where that is searched."""
    if power or gone + before != 1:
        return
    more = [decider.under(kind, fault) for fault in ("two-clean", "lossy-and-clean")]
    lost = [one for one in more if one.designed.is_lost]
    if lost:
        worst = min(lost, key=lambda one: severity(one.designed))
        words = "loses power" if worst.fault.id == "lossy-and-clean" else "crashes"
        yield Effect("yes", f"but if one more {words} meanwhile, {LOST[worst.designed.word]}", (), ((kind, worst),))
