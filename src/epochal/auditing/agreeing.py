"""What several files say of one thing: equal values are one, different ones are told, and each of them may be right.

Only what is said of one level of one thing is compared, as what was set for a topic, or what the file of a node has:
Kafka decides between levels. That a setting is not set there is something that a file says, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from .cluster import COMPARED, DEFAULT, MIN_ISR, TOPIC, UNCLEAN, Cluster, Contradiction, Topic
from .said import FALSE, SHOWN, TRUE, UNSET, Place, Said
from .storage import FOLDERS

DECIDING = (MIN_ISR, UNCLEAN)
"""Settings of which it counts that a file lacks them."""

COPIES = "spec.replicas"
NOT_SET = "not set"
NOTHING = Said("", Place(""), UNSET)
"""What is shown where nobody was asked."""


def add(found: Cluster, values: dict[str, Said], about: str, name: str, said: Said, why: str = "") -> None:
    """Add what a file says of a setting to what others say of it, and tell where that is something else."""
    before = values.get(name) or found.unset.get((id(values), name))
    if before is not None:
        tell(found, about, name, before, said, why)
    values[name] = said if before is None else beside(before, said)


def add_all(
    found: Cluster, values: dict[str, Said], about: str, settings: Mapping[str, Said], wanted: Iterable[str], at: Place
) -> None:
    """Add all that a file says of something, and which of the names that are `wanted` it lacks."""
    for name, said in settings.items():
        add(found, values, about, name, said)
    for name in wanted:
        if name not in settings:
            unset = Said(NOT_SET, at, UNSET)
            if name in values:
                add(found, values, about, name, unset)
            else:
                found.unset.setdefault((id(values), name), unset)


def add_for_all(found: Cluster, settings: Mapping[str, Said], at: Place) -> None:
    """Add what a file has for all nodes. What decides nothing is not compared."""
    for name, said in settings.items():
        if name in TAKEN:
            add(found, found.planned, "all nodes", name, said)
        else:
            found.planned.setdefault(name, said)
    add_all(found, found.planned, "all nodes", {}, [name for name in PLANNED if name not in settings], at)


PLANNED = (*DECIDING, "auto.create.topics.enable", "default.replication.factor")
"""Settings of which it counts that a file for all nodes lacks them."""

TAKEN = COMPARED | set(FOLDERS)
"""Settings of which it counts what several files say. Others decide nothing, and some are secret."""


def beside(before: Said, said: Said) -> Said:
    """Both as one, in which each value is there once, with the place that tells most of it."""
    several: dict[tuple[str, bool], Said] = {}
    for one in (*before.each, *said.each):
        key = plain(one), one.source == DEFAULT  # to be set to Kafka's default is not the same as not to be set
        known = several.get(key)
        if known is None or _rank(one) <= _rank(known):
            several[key] = one
    first = min(several.values(), key=_rank)
    return replace(first, others=tuple(one for one in several.values() if one is not first))


def tell(found: Cluster, about: str, name: str, before: Said, said: Said, why: str = "") -> None:
    """Note that two files say different things of a setting, each pair once."""
    known = {plain(one) for one in before.each}
    for other in said.each:
        if plain(other) not in known:
            one = Contradiction(about, name, replace(before, others=()), other, why or _why(about, name))
            if not any(_pair(one) == _pair(told) for told in found.contradictions):
                found.contradictions.append(one)


def alternatives(values: Mapping[str, Said], name: str) -> tuple[Said | None, ...]:
    """What may be set: each value that a file has, and None where one says that none is, or no file says anything."""
    said = values.get(name)
    return (None,) if said is None else tuple(None if one.source == UNSET else one for one in said.each)


def lacking(values: Mapping[str, Said], name: str) -> Place | None:
    """Where a file says that a setting is not set that another one has."""
    return next((one.place for one in values[name].each if one.source == UNSET), None) if name in values else None


def only(values: Mapping[str, Said], name: str, said: Said | None) -> dict[str, Said]:
    """The same values with one alternative of a setting."""
    rest = {other: one for other, one in values.items() if other != name}
    return rest if said is None else {**rest, name: said}


def readings(cluster: Cluster, topic: Topic, name: str) -> Iterator[tuple[Cluster, Topic, Place | None]]:
    """The topic and its cluster with each alternative alone that decides a setting, and a place of one that was chosen.

    Where something is set for the topic nothing else counts.
    """
    for own in alternatives(topic.own, name):
        mine = replace(topic, own=only(topic.own, name, own))
        if own is not None:
            yield cluster, mine, own.place
            continue
        for seen in _shown(topic, name):
            shown = None if topic.seen is None or seen is NOTHING else only(topic.seen, name, seen)
            for everywhere in alternatives(cluster.everywhere, name):
                for planned in alternatives(cluster.planned, name):
                    one = replace(
                        cluster,
                        everywhere=only(cluster.everywhere, name, everywhere),
                        planned=only(cluster.planned, name, planned),
                    )
                    yield one, replace(mine, seen=shown), _place_of(topic, cluster, name, seen)


def _shown(topic: Topic, name: str) -> tuple[Said | None, ...]:
    """What brokers may show where nothing is set for the topic: not what is, according to another file."""
    several = alternatives(topic.seen or {}, name)
    if name not in topic.own:
        return several
    return tuple(one for one in several if one is None or one.source not in (SHOWN, TOPIC)) or (NOTHING,)


def _place_of(topic: Topic, cluster: Cluster, name: str, seen: Said | None) -> Place | None:
    """Where a file says that nothing is set, so that Kafka's default is in force."""
    if seen is not None and seen is not NOTHING:
        return seen.place
    several = (lacking(values, name) for values in (topic.own, cluster.everywhere, cluster.planned))
    return next((place for place in several if place is not None), None)


def _rank(said: Said) -> int:
    """What comes first: what a broker has told with its source, what a file has, and what is so if nobody sets it."""
    if said.source in (UNSET, DEFAULT):
        return 2
    return 1 if said.source in ("", SHOWN) else 0


JUDGED = (*DECIDING, COPIES)


def _why(about: str, name: str) -> str:
    """How it may be that two files say different things, and what is made of it."""
    so = "The broker has not been started with its file since" if about.startswith("node ") else ""
    moments = f"{so}, or the files are of two moments" if so else "The files are of two moments, or of two clusters"
    return f"{moments}: {EACH_IS_JUDGED}" if name in JUDGED else f"{moments}."


EACH_IS_JUDGED = "each value is judged, and the worst of each column is told."


def _pair(one: Contradiction) -> tuple[str, str, frozenset[str]]:
    return one.about, one.setting, frozenset((plain(one.left), plain(one.right)))


def plain(said: Said) -> str:
    """A value as it is compared: Kafka reads truth values in letters of any size."""
    text = said.value.strip()
    return text.lower() if text.lower() in (TRUE, FALSE) else text
