"""The table at the top of docs/kafka/reproduced.md: every open hole, and what each release has shown of it.

What running brokers have shown is the catalogue's `shown_on`, which a test holds against the archives of
tests/evidence. What Kafka's classes have shown is kept in tests/lockstep/kept, and a test asks the classes again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from docs.generator.markdown import anchor, table
from docs.generator.shown_bugs import heading
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import UNREPORTED, KnownBug

ROOT: Final = Path(__file__).resolve().parents[2]
HOME: Final = ROOT / "docs" / "index.md"
REPRODUCED: Final = ROOT / "docs" / "kafka" / "reproduced.md"
SHARE_GROUPS: Final = ROOT / "docs" / "kafka" / "share-group-holes.md"
KEPT: Final = ROOT / "tests" / "lockstep" / "kept" / "shown.json"
BEGIN: Final = "<!-- made by `python -m docs.generator` from the catalogue and tests/lockstep/kept -->\n"
END: Final = "<!-- as far as it is made -->\n"

BROKERS, CLASSES, CLOSED, MODEL, LEFT = "brokers", "classes", "closed", "model only", "not brought about"
NOT_MAPPED: Final = "not mapped: "
BY_ANOTHER_RULE: Final = (
    "Kafka's classes leave the run of the catalogue by another rule of the release, and so does the release's own "
    "model, which has no other run within these bounds"
)
NOT_PLAYED: Final = "none of its steps is one of brokers, voters, transaction coordinators or share groups"


def answers() -> dict[str, dict[str, str]]:
    """What Kafka's classes have shown: by release, oldest first, and by hole."""
    found: dict[str, dict[str, str]] = {}
    for hole, became in json.loads(KEPT.read_text(encoding="utf-8")).items():
        for what, releases in became.items():
            for release in releases:
                found.setdefault(release, {})[hole] = what
    return dict(sorted(found.items()))


def open_holes(releases: Mapping[str, Mapping[str, str]]) -> tuple[KnownBug, ...]:
    """The holes of the catalogue that one of these releases has."""
    return tuple(bug for bug in CATALOGUE if any(map(bug.was_in, releases)))


def cell(bug: KnownBug, release: str, classes: Mapping[str, str]) -> tuple[str, str]:
    """What a release has shown of a hole, and if it has shown nothing, why: "" if it is closed."""
    said = classes.get(bug.id, NOT_MAPPED + NOT_PLAYED)
    shown = [BROKERS] * (release in bug.shown_on) + [CLASSES] * (said == "shown")
    if shown:
        return ", ".join(shown), ""
    if not bug.was_in(release):
        return CLOSED, ""
    if said.startswith(NOT_MAPPED):
        return MODEL, f"its run cannot be put to Kafka's classes: {said.removeprefix(NOT_MAPPED)}"
    return LEFT, BY_ANOTHER_RULE


def evidence() -> str:
    """The table, what its words mean, and the reasons."""
    by_release = answers()
    holes = open_holes(by_release)
    reasons: dict[str, str] = {}

    def shown(bug: KnownBug, release: str) -> str:
        what, why = cell(bug, release, by_release[release])
        if not why:
            return f"**{what}**" if what.startswith(BROKERS) else what
        return f"{what} ({reasons.setdefault(why, chr(ord('a') + len(reasons)))})"

    rows = [[_hole(bug), *(shown(bug, release) for release in by_release)] for bug in holes]
    return "\n\n".join((_summary(by_release, holes), table(("hole", *by_release), rows), *_notes(reasons)))


def _hole(bug: KnownBug) -> str:
    place = _place(bug)
    return f"{f'[{bug.id}]({place})' if place else bug.id}: {bug.title}"


def _place(bug: KnownBug) -> str:
    """Where a hole is told at length: on a page of its own, or in a section that ends with its number; else ""."""
    page = REPRODUCED.parent / "findings" / f"{bug.id.lower()}.md"
    if page.exists():
        return f"findings/{page.name}"
    headings = re.findall(r"^## (.*)$", SHARE_GROUPS.read_text(encoding="utf-8"), re.MULTILINE)
    own = [one for one in headings if one.endswith(f" ({bug.id})")]
    return f"{SHARE_GROUPS.name}#{anchor(own[0])}" if own else ""


def _by_evidence(by_release: Mapping[str, Mapping[str, str]]) -> dict[str, list[KnownBug]]:
    """The open holes by the strongest evidence of any release."""
    found: dict[str, list[KnownBug]] = {BROKERS: [], CLASSES: [], MODEL: []}
    for bug in open_holes(by_release):
        seen = [cell(bug, one, by_release[one])[0] for one in by_release]
        strongest = next((what for what in (BROKERS, CLASSES) if any(what in one for one in seen)), MODEL)
        found[strongest].append(bug)
    return found


def _summary(by_release: Mapping[str, Mapping[str, str]], holes: tuple[KnownBug, ...]) -> str:
    """How many holes are shown, by brokers and by classes."""
    cells = {bug.id: [cell(bug, one, by_release[one])[0] for one in by_release] for bug in holes}
    brokers = sum(any(BROKERS in one for one in of) for of in cells.values())
    classes = sum(any(CLASSES in one for one in of) for of in cells.values())
    neither = [bug.id for bug in _by_evidence(by_release)[MODEL]]
    never = f"; {', '.join(neither)} on neither" if neither else ""
    return (
        f"{len(holes)} holes of the catalogue are open in one of these releases. {brokers} of them were shown on "
        f"running brokers of some release, {classes} on Kafka's classes{never}."
    )


def _notes(reasons: Mapping[str, str]) -> Iterator[str]:
    if reasons:
        yield "\n".join(f"* ({letter}) {why}" for why, letter in reasons.items())


EVIDENCE: Final = {
    BROKERS: "**running brokers**: a consumer missed an acknowledged record, or read half of a transaction, or a "
    "controller resigned",
    CLASSES: "**Kafka's own classes**, in one process, where only the test makes delays",
    MODEL: "**the model only**: neither brokers nor classes have shown it",
}
"""What each kind of evidence is worth."""


def found() -> str:
    """The open holes for the home page: by evidence, those without a ticket apart from those known before."""
    by_release = answers()
    by_evidence = _by_evidence(by_release)
    first, *_, last = by_release
    rows = []
    for what, bugs in by_evidence.items():
        new, known = (", ".join(_short(bug) for bug in bugs if _is_new(bug) == asked) for asked in (True, False))
        rows.append((EVIDENCE[what], new or "none", known or "none"))
    shown = [f"* {_short(bug)}: {bug.title}. Kafka {bug.versions}." for bug in by_evidence[BROKERS] if _is_new(bug)]
    return "\n\n".join(
        (
            f"{sum(map(len, by_evidence.values()))} holes of the catalogue are open in some release from {first} to "
            f"{last}. What has been seen of each is kept apart:",
            table(("strongest evidence", "no ticket known", "known before"), rows),
            "Without a ticket, and shown on running brokers:",
            "\n".join(shown),
        )
    )


def _is_new(bug: KnownBug) -> bool:
    """Whether nobody is known to have reported it."""
    return bug.tickets[0].endswith(UNREPORTED)


def _short(bug: KnownBug) -> str:
    return f"[{bug.id}](kafka/{_place(bug) or f'gallery.md#{anchor(heading(bug))}'})"


def with_found(text: str) -> str:
    """The home page with what was found as it is now. Raises ValueError if it has no place for it."""
    return _with(text, found())


def with_evidence(text: str) -> str:
    """The page with the table as it is now. Raises ValueError if it has no place for it."""
    return _with(text, evidence())


def _with(text: str, made: str) -> str:
    start = text.index(BEGIN) + len(BEGIN)
    return f"{text[:start]}\n{made}\n\n{text[text.index(END) :]}"
