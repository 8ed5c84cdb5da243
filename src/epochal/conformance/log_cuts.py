"""What a log says of where it is cut, held against what its fetcher has said just before: one thread does both."""

from __future__ import annotations

from epochal.evidence.broker_events import CopyTruncated, LogCut, OfPartition, Truncated

from .line import Wrong


class LogCuts:
    """The truncations of one log, as its broker's lines tell them."""

    def __init__(self) -> None:
        self.said: int | None = None
        """Where the fetcher has said to cut, if no other line of the partition came since: some may be missing."""
        self.copied = False
        """Whether a copy that moves to another directory was cut: it has the same name, and its lines look alike."""

    def take(self, event: OfPartition) -> None:
        """Go on by a line of the partition. Raises Wrong for one of the log that does not agree with its fetcher's."""
        said, self.said = self.said, None
        if isinstance(event, CopyTruncated):
            self.copied = True
        elif isinstance(event, Truncated) and not self.copied:
            self.said = event.offset
        elif isinstance(event, LogCut) and said is not None:
            if event.offset != said:
                raise Wrong(f"the log is cut at {event.offset}", f"{said}, as its fetcher says")
            if event.largest is not None and event.largest >= said:
                raise Wrong(f"nothing to cut at {said}, and {event.largest} in the log", f"at most {said - 1} in it")
