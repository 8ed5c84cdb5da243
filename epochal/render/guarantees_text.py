"""The table of guarantees for people: faults against what is promised."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.command_lines import bounds_as_options
from epochal.checker.host.numbers import counted
from epochal.kafka.guarantees import Decided, Promise
from epochal.render.page import Page, Row, Style
from epochal.spec.kraft.guarantees import Fault, in_words
from epochal.spec.language import Protocol
from epochal.spec.language.reference import SEPARATOR, quoted

HEADER = ("FAULT", "ACKNOWLEDGED STAYS", "READ STAYS", "LOGS MATCH", "WRITES WITH 1 DOWN", "2 DOWN", "STATES")
LEGEND = (
    "acknowledged stays: whoever leads has every record whose producer was told of success",
    "read stays: whoever leads has every record that was below a leader's high watermark, where consumers read",
    "logs match: below both high watermarks any two replicas hold the same records, at every moment",
    "writes with 1 down: a write can succeed while a broker is down that does not have the record",
    "-: the fault takes fewer brokers down than that, or there are no others, or the search ended too early to tell",
)


def answered(answer: Promise) -> tuple[str, Style]:
    """An answer as a cell of the table."""
    if answer.verdict == "violated":
        return f"NO, {counted(answer.length or 0, 'state')}", "bad"
    words: dict[str, tuple[str, Style]] = {
        "holds": ("yes", "good"),
        "open": ("open", "warn"),
        "nothing": ("nothing acknowledged", "faint"),
    }
    return words[answer.verdict]


def _writes(possible: bool | None) -> tuple[str, Style]:
    return ("-", "faint") if possible is None else ("yes", "good") if possible else ("no", "warn")


def render_guarantees(
    page: Page,
    kind: type[Protocol],
    reference: str,
    bounds: dict[str, int],
    decided: Sequence[Decided],
    missing: int,
    files: Sequence[str],
    faults: Sequence[str] = (),
) -> None:
    """What was asked, the table, what it means, and where to go on.

    `missing` is how many faults were not searched, `faults` are the ids of those that were asked for, if not all were.
    """
    replicas = bounds["replication_factor"]
    page.line(f"{reference}, replication factor {replicas}: what is promised, and what breaks it", "title")
    page.lines((f"{name}: {said}" for name, said in in_words(kind, replicas)), indent=2)
    page.line()
    page.table([_row(one) for one in decided], header=HEADER, right=(6,))
    page.line()
    page.lines(LEGEND, indent=2)
    if bounds["records"] == 1:
        page.line("Logs of one record cannot differ for long enough: ask with --records 2 whether logs match.", "warn")
    page.line()
    page.line(
        f"Each fault is a search of every state, up to the names of brokers, within {bounds_as_options(bounds)},",
        indent=2,
    )
    page.line("with as many faults of its kind as it says, delays, restarts and elections of another leader.", indent=2)
    page.line("NO comes with a shortest run. Larger bounds were not checked.", indent=2)
    _holes(page, kind, decided)
    for one in decided:
        if one.cut:
            page.line(f"Open: {one.fault.title}: {one.cut}.", "warn")
    if missing:
        page.line(f"Open: {counted(missing, 'fault')} not searched: interrupted.", "warn")
    page.written(files)
    broken = next((one for one in decided if any(a.verdict == "violated" for a in one.answers.values())), None)
    if broken is not None and not files:
        chosen = "".join(f" --fault {id}" for id in faults)
        page.commands(
            [
                f"epochal guarantees{_arguments(reference)}{chosen} {bounds_as_options(bounds)} --out found",
                f"epochal check {quoted(broken.reference)} {bounds_as_options(dict(broken.bounds))} --symmetry",
            ]
        )


def _arguments(reference: str) -> str:
    """A reference as the command takes it, which is about kraft unless it is told otherwise."""
    name, separator, settings = quoted(reference).partition(SEPARATOR)
    return f"{separator}{settings}" if name == "kraft" else f" {name}{separator}{settings}"


def _settings(reference: str) -> str:
    """The settings of a reference alone."""
    _, separator, settings = reference.partition(SEPARATOR)
    return f"{separator}{settings}".strip()


def _holes(page: Page, kind: type[Protocol], decided: Sequence[Decided]) -> None:
    """What of the catalogue these settings have open, if something was broken: what the runs may be made of."""
    from epochal.spec.bugs.open_holes import open_holes
    from epochal.spec.kraft.kraft import Kraft

    broken = any(promise.verdict == "violated" for one in decided for promise in one.answers.values())
    holes = open_holes(kind.settings) if broken and issubclass(kind, Kraft) else ()
    if holes:
        page.line()
        page.line("Known holes of these settings, of which a run may be made ('epochal catalogue ID' tells each):")
        page.table([(bug.id, bug.title, bug.source) for bug in holes])


def _row(one: Decided) -> Row:
    writes = [_writes(possible) for possible in one.writes]
    return (one.fault.title, *(answered(answer) for answer in one.answers.values()), *writes, f"{one.states:,}")


def render_matrix(
    page: Page,
    rows: Sequence[tuple[str, Sequence[Decided]]],
    bounds: dict[str, int],
    faults: Sequence[Fault],
    files: Sequence[str],
) -> None:
    """One line a choice of settings, one column a fault: what stays of what was acknowledged and read."""
    page.line(f"What is kept under which faults, within {bounds_as_options(bounds)}", "title")
    page.line()
    table: list[Row] = []
    for reference, decided in rows:
        by_fault = {one.fault.id: _kept(one) for one in decided}
        table.append((_settings(reference), *(by_fault.get(fault.id, ("", "faint")) for fault in faults)))
    page.table(table, header=("SETTINGS", *(fault.id.upper() for fault in faults)))
    page.line()
    page.lines((f"{fault.id}: {fault.title}" for fault in faults), indent=2)
    page.line(
        "kept: acknowledged records stay, and so does what a consumer could read; lost N: the shortest run has N",
        indent=2,
    )
    page.line("states. An empty cell is the same as one to its left: unclean election is on already, say.", indent=2)
    page.written(files)


def _kept(one: Decided) -> tuple[str, Style]:
    acknowledged, read = one.answers["acknowledged"], one.answers["read"]
    if "open" in (acknowledged.verdict, read.verdict):
        return "open", "warn"
    if acknowledged.verdict != "violated" and read.verdict != "violated":
        return "kept", "good"
    if acknowledged.verdict == read.verdict:
        return f"lost {min(acknowledged.length or 0, read.length or 0)}", "bad"
    what, answer = ("acked", acknowledged) if acknowledged.verdict == "violated" else ("read", read)
    return f"{what} lost {answer.length}", "bad"
