"""What the semantics say of a stored trace, as text and as one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.checker.trace.explain import claim, protocol_name, shown_bounds

if TYPE_CHECKING:
    from epochal.checker.trace.replay import Replay

    from .page import Page


def render_replay(page: Page, found: Replay, headline: str, missing: str) -> None:
    """The verdict, what the trace claims, and each semantics."""
    page.line(headline, "good" if found.ok else "bad")
    page.line(f"{protocol_name(found.trace)}, {shown_bounds(found.trace.protocol)}: {claim(found.trace)}", indent=2)
    page.lines(found.lines(), indent=2)
    if missing:
        page.line(f"not replayed in {missing}", "warn", indent=2)
