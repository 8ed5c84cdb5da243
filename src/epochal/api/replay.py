"""`epochal.replay`: run a trace again, step by step, in every semantics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from epochal.checker.documents import document
from epochal.checker.search.confirm import every_semantics
from epochal.checker.trace.explain import claim, protocol_name, shown_bounds
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.replay import Replay
from epochal.checker.trace.replay import replay as replayed
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.spec.language import Protocol

from .options import name_for_people
from .result import Result, question

if TYPE_CHECKING:
    from epochal.report.page import Page


@dataclass(frozen=True, repr=False)
class ReplayResult(Result):
    """What every semantics says of a trace. `missing` says which semantics this machine does not have, "" if none.

    `against` is how the protocol is called if it is another than the one in which the trace was found, else "".
    """

    truth: ClassVar[str] = "ok"

    replay: Replay
    name: str
    missing: str
    against: str = ""

    @property
    def trace(self) -> Trace:
        """The trace, as it was read."""
        return self.replay.trace

    @property
    def ok(self) -> bool:
        """Whether every semantics confirms every step and the verdict."""
        return self.replay.ok

    @property
    def exit_code(self) -> ExitCode:
        """20 if the protocol behaves otherwise than the trace records."""
        return ExitCode.HOLDS if self.ok else ExitCode.DRIFTED

    @property
    def headline(self) -> str:
        if self.against:
            return f"{self.name}: {'replays exactly' if self.ok else 'does not replay'} on {self.against}"
        return f"{self.name}: {'replays exactly' if self.ok else 'no longer replays'}"

    def to_dict(self) -> documents.Replay:
        return document(documents.Replay, self.replay, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        page.line(self.headline, "good" if self.ok else "bad")
        page.line(f"{protocol_name(self.trace)}, {shown_bounds(self.trace.protocol)}: {claim(self.trace)}", indent=2)
        page.lines(self.replay.lines(), indent=2)
        if self.missing:
            page.line(f"not replayed in {self.missing}", "warn", indent=2)

    def raise_for_violation(self) -> None:
        """Raise AssertionError, with what each semantics says, unless the trace replays exactly."""
        __tracebackhide__ = True  # pytest then shows the line of the test
        if not self.ok:
            raise AssertionError(str(self))


@question
def replay(
    trace: Trace | str | Path,
    *,
    protocols: str | type[Protocol] | Iterable[str | type[Protocol]] = (),
    against: Protocol | type[Protocol] | str | None = None,
    reader: TraceReader | None = None,
) -> ReplayResult:
    """Run a trace again, step by step, in Python and in native code.

    `trace` may be a file in ITF. One of a specification of your own needs `protocols`, its class or "mine.py:Variant":
    a file runs because you name it, never because a trace does.

    `against` is another protocol with the same variables, such as one that has been fixed: whether the run is still
    possible there, and which guard refuses it if not. The bounds are those of the trace. A `reader` that
    the caller has already knows all of this.

    Raises TraceError for a file that is no trace, or one of another protocol; UsageError for what is no protocol.
    """
    if reader is None:
        other = [] if against is None else [type(against) if isinstance(against, Protocol) else against]
        reader = TraceReader(_named(protocols), (), *_named(other))
    name = "the trace"
    if isinstance(trace, str | Path):
        name = str(trace)
        trace = reader.read(_existing(Path(trace)))
    elif not isinstance(trace, Trace):
        raise UsageError(f"replay takes a trace, or the path of one, not {trace!r}")
    else:
        trace = reader.on_the_other(trace)
    readings, missing = every_semantics(trace.protocol)
    return ReplayResult(replayed(trace, readings), name, missing, reader.against)


def _existing(path: Path) -> Path:
    """A path where something can be read. Raises UsageError for any other."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", "Give a trace in it: a file *.itf.json.")
    if "\0" in str(path) or not path.exists():
        raise UsageError(f"there is no trace {path!s}")
    return path


def _named(protocols: str | type[Protocol] | Iterable[str | type[Protocol]]) -> list[str | type[Protocol]]:
    """The protocols that may be loaded, each class with a name."""
    if isinstance(protocols, str | type):
        protocols = [protocols]
    named = list(protocols)
    for one in named:
        if isinstance(one, type) and issubclass(one, Protocol):
            name_for_people(one)
        elif not isinstance(one, str):
            raise UsageError(f"protocols are classes or references such as 'mine.py:Variant', not {one!r}")
    return named
