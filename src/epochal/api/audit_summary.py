"""What a pull request is told of an audit, in Markdown: classes of topics that a change makes worse, and the runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from epochal.checker.base.installed import tool_version
from epochal.checker.base.numbers import counted
from epochal.exit_codes import ExitCode
from epochal.kafka.audit.audited import Audit
from epochal.kafka.audit.decided import SHOWN
from epochal.kafka.audit.finding import Finding
from epochal.kafka.audit.today import DayAnswer
from epochal.kafka.evidence.place import Place, escaped

from .audit_answers import OLD_AT_ONCE
from .audit_answers import WORDS as DAY_WORDS
from .audit_cells import ABSENT, HEADER, guarantees_of, run_key

MARK = "<!-- epochal-audit -->"
"""By this line a comment is found again, so that one pull request has one comment."""

MOST_ROWS = 20
MOST_NAMED = 8
MOST_FINDINGS = 20
LARGEST = 60_000
"""GitHub takes comments of 65,536 characters."""

COLUMNS = (
    "copies",
    "min.insync.replicas",
    "acks",
    "unclean election",
    "a restart",
    "a crash",
    "two crashes",
    "a power loss",
    "writes, one down",
)
"""What the columns behind the topics are called here, one for each of the table's."""

Row = tuple[str, ...]


class SummarisedAudit(Protocol):
    """What a summary says something of: an audit, which has more."""

    @property
    def audit(self) -> Audit: ...
    @property
    def before(self) -> Audit | None: ...
    @property
    def findings_left(self) -> Sequence[Finding]: ...
    @property
    def accepted(self) -> Sequence[Finding]: ...
    @property
    def as_before(self) -> Sequence[Finding]: ...
    @property
    def against(self) -> str: ...
    @property
    def unreadable(self) -> str: ...
    @property
    def answers(self) -> Sequence[DayAnswer]: ...
    @property
    def lock(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def exit_code(self) -> ExitCode: ...


def summary(headline: str, result: SummarisedAudit, pages: Mapping[str, str]) -> str:
    """The summary. `pages` are the pages of runs, in the folder of the report, by the keys of `run_key`."""
    lines = [MARK, f"### Epochal audit: {_text(headline)}", ""]
    if result.unreadable:
        lines += [
            f"The files of {_code(result.against)} cannot be read, so that everything is told: "
            f"{_text(result.unreadable)}",
            "",
        ]
    if result.answers:
        lines += _answers(result.answers)
    if result.before is not None:
        lines += _changed_rows(result)
    told = [one for one in result.findings_left if one.severity != "note"]
    for one in told[:MOST_FINDINGS]:
        lines += _finding(one, pages, result)
    if len(told) > MOST_FINDINGS:
        lines += ["", f"And {len(told) - MOST_FINDINGS} more, in the report."]
    lines += ["", *_end(result)]
    return _cut("\n".join(lines) + "\n")


def _answers(answers: Sequence[DayAnswer]) -> Iterator[str]:
    """The questions of the day, each with its answer, and what happens to which partitions."""
    for one in answers:
        yield f"* {_text(one.question)} **{DAY_WORDS[one.verdict]}**"
        for effect in one.effects:
            named = f": {_names(effect.partitions)}" if effect.partitions else ""
            word = "" if effect.verdict == one.verdict else f"{DAY_WORDS[effect.verdict]}: "
            yield f"  * {word}{_text(effect.why)}{named}"
    yield from ("", OLD_AT_ONCE, "")


def _changed_rows(result: SummarisedAudit) -> Iterator[str]:
    """The topics whose guarantees are other ones, those alike in one row: before, and after."""
    assert result.before is not None
    old, new = guarantees_of(result.before), guarantees_of(result.audit)
    alike: dict[tuple[tuple[Row, ...], tuple[Row, ...]], list[str]] = {}
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            alike.setdefault((old.get(name, ABSENT), new.get(name, ABSENT)), []).append(name)
    if not alike:
        yield from ("No guarantee of a topic changes.", "")
        return
    yield f"| topics | | {' | '.join(COLUMNS)} |"
    yield f"|---|---|{'---|' * len(COLUMNS)}"
    worst_first = sorted(alike.items(), key=lambda item: (-_losses(item[0][1]) + _losses(item[0][0]), item[1]))
    for (before, after), names in worst_first[:MOST_ROWS]:
        for word, rows in (("before", before), ("**after**", after)):
            for number, cells in enumerate(rows):
                first = number == 0
                topics = _names(names) if first and rows is before else ""
                yield f"| {topics} | {word if first else ''} | {' | '.join(_cell(one) for one in cells)} |"
    if len(worst_first) > MOST_ROWS:
        rest = sum(len(names) for _, names in worst_first[MOST_ROWS:])
        yield from ("", f"And {counted(rest, 'topic')} more, in the report.")
    yield from (
        "",
        "LOST n: an acknowledged record is lost; a shortest run has n states. kept\\*: as designed; a hole of the "
        "release breaks it.",
        "",
    )


def _losses(rows: tuple[Row, ...]) -> int:
    """How many faults lose something, or how little is kept."""
    faults = slice(len(HEADER) - 2 - len(SHOWN), len(HEADER) - 2)
    return max(sum(not cell.startswith("kept") and cell != "-" for cell in row[faults]) for row in rows)


TOOL = "kafka-"
"""How a line begins that is typed: Kafka's tools are called so. Other lines say what to do."""


def _finding(one: Finding, pages: Mapping[str, str], result: SummarisedAudit) -> Iterator[str]:
    mark = "**error**" if one.severity == "error" else one.severity
    where = _places(one.places, result.audit.audited.cluster.paths)
    yield f"* {mark} `{one.rule}` {_names(one.subjects)}: {_text(one.title)}{where}"
    runs = dict.fromkeys(page for kind, answered in one.runs if (page := pages.get(run_key(kind, answered))))
    if runs:
        yield f"  * the run: {', '.join(f'`{page}`' for page in runs)} in the report"
    if one.fix is not None:
        for line in one.fix.commands[:3]:
            yield f"  * fix: {_code(line) if line.startswith(TOOL) else _text(line)}"


def _places(places: Iterable[Place], paths: Mapping[str, str]) -> str:
    """The first places, each as it is called from the working folder, which is the top of a repository mostly."""
    listed = list(dict.fromkeys(str(_from_here(place, paths)) for place in places if place.file))[:3]
    return f" ({', '.join(map(_code, listed))})" if listed else ""


def _from_here(place: Place, paths: Mapping[str, str]) -> Place:
    whole = Path(paths.get(place.file, place.file))
    here = Path.cwd()
    return replace(place, file=whole.relative_to(here).as_posix()) if whole.is_relative_to(here) else place


def _end(result: SummarisedAudit) -> Iterator[str]:
    if result.accepted:
        yield f"{counted(len(result.accepted), 'finding')} accepted in `{_plain(result.lock)}`."
    if result.as_before:
        subjects = sum(max(1, len(one.subjects)) for one in result.as_before)
        yield f"{counted(subjects, 'finding')} as before, not told here."
    yield (
        f"Exit code {int(result.exit_code)}: {result.outcome}. Decided by searches within bounds; epochal "
        f"{tool_version()}."
    )


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(_code(one) for one in names[:MOST_NAMED]) + more


def _plain(text: str) -> str:
    """A text on one line, in which nothing is invisible and no code ends."""
    return escaped(text).replace("`", "'")


def _code(text: str) -> str:
    """A text that Markdown shows as it is, also in a table."""
    return f"`{_plain(text).replace('|', chr(92) + '|')}`" if text else ""


def _cell(text: str) -> str:
    return f"**{_text(text)}**" if text.startswith(("LOST", "READ LOST", "DIFFER", "NO")) else _text(text)


def _text(text: str) -> str:
    """A text in which Markdown finds no link, name or mark of its own."""
    found = escaped(text).replace("&", "&amp;").replace("<", "&lt;").replace("@", "&#64;").replace("://", "&#58;//")
    return "".join(f"\\{one}" if one in "\\`*_[]|~" else one for one in found)


def _cut(text: str) -> str:
    if len(text) <= LARGEST:
        return text
    return text[: text.rindex("\n", 0, LARGEST)] + "\n\nThe rest is in the report.\n"
