"""The page of the gallery: every known bug by version and ticket, with what it teaches and its shortest runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs.generator.markdown import anchor, page, table
from epochal.checker.base.numbers import counted
from epochal.kafka.catalogue import trace_file
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.generations import RELEASES

FRONT: Final = "---\nhide: [toc]\n---\n\n"
"""Entries are found by their filter; a list of all of them beside it would be no help."""

INTRODUCTION = """
Every known bug by its ticket, with the lesson that holds beyond it and its shortest runs: as a story and, on the site
that `make docs` builds, as a page with lanes, logs and guards. What neither a ticket nor a running Kafka has confirmed
says so. *Running brokers* marks what brokers of some release [have shown](reproduced.md).
"""

FILTER: Final = """
<div class="bugs-filter" hidden>
<label>Kafka <select><option value="">any version</option></select></label>
<label>ticket, KIP, number or word <input type="search"></label>
<label><input type="checkbox"> on running brokers</label>
<output></output>
</div>
"""
"""For `gallery.js`, which shows it: without a script it stays away."""

BEFORE_KRAFT: Final = (
    *("0.8", "0.9", "0.10", "0.11", "1.0", "1.1"),
    *(f"2.{minor}" for minor in range(8)),
)
FOLDER: Final = Path(__file__).resolve().parents[2] / "counterexamples"
LENGTH: Final = re.compile(r"\| (\d+) \| \[ITF\]\(([\w-]+)\.itf\.json\)")


def versions() -> tuple[str, ...]:
    """The minor releases of Kafka that are told apart, oldest first."""
    return (*BEFORE_KRAFT, *RELEASES)


def shown_bugs() -> str:
    """The versions with their bugs, and one section a bug."""
    by_version = (
        (version, ", ".join(_link(bug) for bug in _sorted() if bug.was_in(version))) for version in versions()
    )
    made = page(
        "Gallery of counterexamples",
        INTRODUCTION,
        "## By ticket",
        f"{counted(len(KNOWN_BUGS), 'entry', 'entries')}: tickets, then KIPs, then places in Kafka's sources where no "
        "ticket is known.",
        FILTER,
        '<div class="bugs" markdown>',
        *_entries(),
        "</div>",
        "## By version",
        "A bug stands here if some release of that number had it. If it takes a setting or a mode, its entry says so.",
        table(("Kafka", "bugs"), by_version),
    )
    return FRONT + made


def heading(bug: KnownBug) -> str:
    """What an entry is called; of those without a number the protocol tells them apart."""
    return bug.name if bug.id else f"{bug.name}, {bug.without_rule}"


def _sorted() -> list[KnownBug]:
    return sorted(KNOWN_BUGS, key=_place)


def _place(bug: KnownBug) -> tuple[int, int, str, str]:
    kind, _, rest = bug.name.partition("-")
    digits = re.match(r"\d+", rest)
    rank = ("KAFKA", "KIP").index(kind) if kind in ("KAFKA", "KIP") else 2
    return rank, int(digits[0]) if digits else 0, bug.name, bug.without_rule


def _link(bug: KnownBug) -> str:
    return f"[{bug.name}](#{anchor(heading(bug))})"


def _entries() -> Iterator[str]:
    lengths = {name: int(length) for length, name in LENGTH.findall((FOLDER / "README.md").read_text(encoding="utf-8"))}
    for bug in _sorted():
        had = " ".join(version for version in versions() if bug.was_in(version))
        brokers = " on-brokers" if bug.shown_on else ""
        badge = ' <span class="badge">running brokers</span>' if bug.shown_on else ""
        yield "\n\n".join(
            (
                f'<div class="bug{brokers}" data-kafka="{had}" markdown>',
                f"### {heading(bug)}",
                f"**{bug.title}.** {bug.seen_in()}.{badge}",
                f"*Lesson.* {bug.lesson}",
                "\n".join(_run(bug, name, lengths) for name in bug.properties),
                "</div>",
            )
        )


def _run(bug: KnownBug, name: str, lengths: dict[str, int]) -> str:
    file = trace_file(bug.without_rule, name, bug.other_bounds).removesuffix(".itf.json")
    if file not in lengths:
        return f"* `{name}` of `{bug.without_rule}` breaks as well"
    states = counted(lengths[file], "state")
    return f"* `{name}` of `{bug.without_rule}`, {states}: [as a story](../../counterexamples/{file}.md)"
