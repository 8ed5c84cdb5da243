"""What a step does to logs and to leadership, in a few words, from what lanes look like before and after it.

The title of a step says which action was taken. What comes of it may be something else: a fetch that truncates, or a
broker that is fenced, so that another leads. This is read off the cards, so it is the same for every protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .pictures import Card, DrawnLog

LEADS = re.compile(r"leads(?: e(\d+))?")
FOLLOWS = re.compile(r"follows \w+(?: e\d+)?")
KNOWS = re.compile(r"no leader|leader \w+(?: e\d+)?")
ISR = re.compile(r"\bISR (\{[^}]*\})")
DOWN = re.compile(r"(crashed|shut[- ]down|fenced|(is )?down|stopped)\b")
"""What is said first of who is down."""


def events(before: Mapping[str, Card], after: Mapping[str, Card]) -> tuple[str, ...]:
    """What became of logs, high watermarks and leaders between two states."""
    found: list[str] = []
    for lane, card in after.items():
        old = before.get(lane)
        if old is None:
            found += _of_own_log(lane, Card((), ()), card)
        elif old != card:
            found += [*_of_leaders(lane, old, card), *_of_own_log(lane, old, card), *_of_logs(lane, old, card)]
    return tuple(dict.fromkeys(found))


def is_down(card: Card) -> bool:
    """Whether a lane's first words say that it is down."""
    return bool(card.words) and DOWN.match(card.words[0]) is not None


def _of_leaders(lane: str, old: Card, new: Card) -> Iterator[str]:
    """Who leads, whom somebody follows, and what somebody else takes for the leader and the ISR."""
    was, now = (card.words[0] if card.words else "" for card in (old, new))
    for form in (LEADS, FOLLOWS):
        found, other = form.match(now), form.match(was)
        if found is None or (other is not None and other[0] == found[0]):
            continue
        if form is LEADS:
            yield f"{lane} leads in epoch {found[1]}" if found[1] else f"{lane} leads"
        else:
            yield f"{lane} {found[0]}"
    if KNOWS.match(now):
        parts = [(form.search(was), form.search(now)) for form in (KNOWS, ISR)]
        said = [new[0] for old, new in parts if new is not None and (old is None or old[0] != new[0])]
        yield from [f"{lane}: {', '.join(said)}"] if said else []


def _of_own_log(lane: str, old: Card, new: Card) -> Iterator[str]:
    """A log that is a lane by itself, such as what is committed."""
    for log in new.logs:
        if log.name != lane.replace("_", " "):
            continue
        _, more = _changed(_named(old, log.name), log)
        if more:
            yield f"{', '.join(more)} {'is' if len(more) == 1 else 'are'} {log.name}"


def _of_logs(lane: str, old: Card, new: Card) -> Iterator[str]:
    """What somebody appends to its log or takes from its end, and where its high watermark moves."""
    for log in new.logs:
        if log.name == lane.replace("_", " "):
            continue
        before = _named(old, log.name)
        gone, more = _changed(before, log)
        which = "" if log.name == "log" else f" in its {log.name}"
        if gone:
            yield f"{lane} {'loses' if is_down(old) or is_down(new) else 'truncates'} {', '.join(gone)}{which}"
        if more:
            yield f"{lane} appends {', '.join(more)}{which}"
        marked = dict(before.marks) if before is not None else {}
        for what, offset in log.marks:
            if what in marked and marked[what] != offset:
                yield f"{what} of {lane} moves {'back ' if offset < marked[what] else ''}to {offset}"


def _named(card: Card, name: str) -> DrawnLog | None:
    return next((log for log in card.logs if log.name == name), None)


def _changed(before: DrawnLog | None, after: DrawnLog) -> tuple[list[str], list[str]]:
    """The records that are gone from the end of a log, and those that are new there."""
    old, new = before.cells if before is not None else (), after.cells
    same = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    return [cell.text for cell in old[same:]], [cell.text for cell in new[same:]]
