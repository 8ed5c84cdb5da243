"""What the readings say of a stored trace, as text and as one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.checker.base.version import TOOL, tool_version
from epochal.checker.trace.explain import claim, protocol_name, shown_bounds

from .documents import search

if TYPE_CHECKING:
    from epochal.checker.trace.replay import Replay

    from .page import Page


def render_replay(page: Page, found: Replay, headline: str, missing: str) -> None:
    """The verdict, what the trace claims, and each reading."""
    page.line(headline, "good" if found.ok else "bad")
    page.line(f"{protocol_name(found.trace)}, {shown_bounds(found.trace.protocol)}: {claim(found.trace)}", indent=2)
    page.lines(found.lines(), indent=2)
    if missing:
        page.line(f"not replayed in {missing}", "warn", indent=2)


def replay_document(found: Replay, name: str, missing: str, exit_code: int, against: str) -> search.Replay:
    """The document. `compared` has what each semantics says, a line or several; `missing` why others were not asked."""
    compared: list[search.SemanticsSays] = [
        {"semantics": one.reading, "reading": one.reading, "replays": one.ok, "says": list(one.lines())}
        for one in found.outcomes
    ]
    return {
        "tool": TOOL,
        "version": tool_version(),
        "trace": name,
        "protocol": protocol_name(found.trace),
        "against": against,
        "bounds": found.trace.protocol.bounds.as_dict(),
        "claim": claim(found.trace),
        "replays": found.ok,
        "compared": compared,
        "readings": compared,
        "missing": missing,
        "exit_code": exit_code,
    }
