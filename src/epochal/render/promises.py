"""What must happen in the end, as a section of a report: which promises are kept, and by whose doing."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.host.numbers import counted, sized, timed
from epochal.checker.liveness.result import Ends, Liveness, Need, PromiseResult
from epochal.render.page import Page, Row, Style

WORDS: dict[str, tuple[str, Style]] = {
    "holds": ("kept", "good"),
    "violated": ("BROKEN", "bad"),
    "not judged": ("not judged", "warn"),
}

NEVER_DUE: tuple[str, Style] = ("never due", "warn")


def render_promises(page: Page, liveness: Liveness) -> None:
    """A line that says it all, then each promise. Nothing, where none was judged."""
    if not liveness.judged:
        return
    if liveness.ends is not None:
        _ends(page, liveness.ends)
    if not liveness.promises:
        return
    page.title("What must happen in the end")
    page.line(f"{summary(liveness)}.", "bad" if liveness.broken else "good", indent=2)
    if liveness.stopped:
        names = ", ".join(one.member.name for one in liveness.stopped)
        states = counted(sum(one.stopped for one in liveness.stopped), "state")
        page.line(f"In {states} a bound alone stops every fair step ({names}); larger bounds say more.", indent=2)
    if liveness.assumed:
        page.line(f"Assumed besides what they name: {liveness.assumed.sentence}.", indent=2)
    page.table([_row(one) for one in liveness.promises])
    if liveness.needs:
        _needs(page, liveness)


def _ends(page: Page, ends: Ends) -> None:
    """Where nothing more happens, and whether that is all right."""
    page.title("Where nothing more happens")
    page.line(f"{ends_summary(ends)}.", "bad" if ends.others else "good", indent=2)


def ends_summary(ends: Ends) -> str:
    """How many ends there are of each kind."""
    names = ", ".join(member.name for member in ends.declared)
    right = f"where a run may end ({names})" if names else "where every promise is kept"
    kept = f"{ends.kept:,} {right}, " if names or ends.promised else ""
    return f"{counted(ends.total, 'end')}: {kept}{ends.bounded:,} by a bound alone, {ends.others:,} others"


def _needs(page: Page, liveness: Liveness) -> None:
    """Which of its assumptions each promise takes."""
    page.title("Which fairness it takes")
    page.line("Each promise was judged again without each action that it assumes to be fair, one at a time.", indent=2)
    rows = [_need_row(one, [need for need in liveness.needs if need.member == one.member]) for one in liveness.promises]
    page.table(rows, header=("PROMISE", "TAKES", "KEPT WITHOUT", "IF NOTHING IS FAIR"))


def _need_row(one: PromiseResult, needs: Sequence[Need]) -> Row:
    if one.verdict == "violated":
        return (one.member.name, "is broken as it stands", "", "")
    alone = [need for need in needs if need.without]
    taken, spared = (", ".join(n.without for n in alone if bool(n.doomed) is broken) or "-" for broken in (True, False))
    nothing: tuple[str, Style] = ("", "")
    for need in needs:
        if not need.without:
            nothing = ("broken", "bad") if need.doomed else ("kept", "good")
    return (one.member.name, taken, spared, nothing)


def summary(liveness: Liveness) -> str:
    """How many promises are kept, in how many cases."""
    wishes = sum(one.member.mark.wish for one in liveness.promises)
    every, broken = len(liveness.promises), len(liveness.broken)
    promises = [counted(every - wishes, "promise")] if every > wishes or not wishes else []
    said = " and ".join([*promises, *([counted(wishes, "wish", "wishes")] if wishes else [])])
    cases = counted(liveness.cases, "case")
    if broken:
        return f"{broken} of {said} broken ({cases}) by a fair run within the bounds"
    return f"{said} kept ({cases}) in every fair run within the bounds"


def judged_in(liveness: Liveness) -> str:
    """What judging took."""
    if liveness.parts:
        most = f"{sized(liveness.memory_bytes)} beside its states"
        return (
            f"judged by executors in {timed(liveness.wall_seconds)}, {counted(liveness.parts, 'part')}, at most {most}"
        )
    memory = f", {sized(liveness.memory_bytes)} beside the states" if liveness.memory_bytes else ""
    memory += f", {sized(liveness.file_bytes)} in files" if liveness.file_bytes else ""
    return f"judged in {timed(liveness.cpu_seconds)} of processor time{memory}"


def _row(one: PromiseResult) -> Row:
    """Verdict, id, in how many cases it was looked at or the length of the run that breaks it, and its sentence."""
    word = NEVER_DUE if one.verdict == "holds" and not one.waiting else WORDS[one.verdict]
    looked_at = counted(len(one.cases), "case") if one.trace is None else counted(one.trace.length, "state")
    return (word, one.member.name, looked_at, one.member.sentence)
