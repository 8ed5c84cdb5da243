"""How far the reading and judging of evidence is, on one line or as an object."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from epochal.checker.host.numbers import sized, timed
from epochal.render.shown import shown_text

if TYPE_CHECKING:
    from epochal.conformance.meter import Progress


class ConformTelling:
    """The progress of `epochal conform`."""

    def in_words(self, now: Progress) -> str:
        """The progress on one line."""
        doing = shown_text(now.doing)
        if now.read is not None:
            return f"{doing}, {sized(now.read)} in all, {timed(now.seconds)}"
        return f"{doing}, {now.done:,} of {now.of:,} records, {timed(now.seconds)}"

    def document(self, now: Progress) -> dict[str, Any]:
        """The progress as an object."""
        said = {name: value for name, value in dataclasses.asdict(now).items() if value is not None}
        return {**said, "seconds": round(now.seconds, 3)}

    def far(self, now: Progress) -> None:
        """Not said: the search for a run begins after the records, and takes what it takes."""
