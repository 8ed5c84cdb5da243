"""Where `epochal bmc` begins: what --from and --start say, or the initial states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epochal.errors import UsageError
from epochal.sentences import Given
from epochal.spec.language.reference import split_reference
from epochal.spec.loading import Subject, load_function, load_protocol
from epochal.spec.registry import is_registered

from ..trace.protocol_of import not_named

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

    from .unrolling import Start


def chosen_start(subject: Subject, way: str | None, conditions: tuple[str, ...]) -> Start:
    """The start that was asked for. Raises EpochalError with exit code 2 for one that does not exist."""
    from epochal.spec.language import LanguageError

    from .unrolling import from_conditions, from_initial_states

    if way is not None and conditions:
        raise UsageError(
            (Given("after"), " and ", Given("start"), " exclude each other."),
            "A state of a trace is one state already.",
        )
    if way is None and not conditions:
        return from_initial_states(subject.protocol)
    try:
        if way is not None:
            return _after_trace(subject, way)
        chosen = [load_function(c) if ".py" in c else c for c in conditions]
        return from_conditions(subject.protocol, chosen)
    except LanguageError as error:
        raise UsageError(str(error)) from error


def _after_trace(subject: Subject, way: str) -> Start:
    from ..trace.itf_reader import read_trace
    from .unrolling import from_trace

    name, separator, number = way.rpartition(":")
    if not (separator and number.isdecimal()):
        name, number = way, ""
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"there is no trace {path}.", ("Write ", Given("after", "path/to/trace.itf.json:INDEX"), "."))

    def load(claimed: str) -> type[Protocol]:
        if claimed == subject.reference:
            return type(subject.protocol)
        called, _ = split_reference(claimed)
        file, separator, _ = split_reference(subject.reference)[0].rpartition(":")
        if is_registered(called) or (separator and called.rpartition(":")[0] == file):
            return load_protocol(claimed)
        raise not_named(called, "Give a trace of PROTOCOL, of another class in its file or of a registered protocol.")

    return from_trace(subject.protocol, read_trace(path, load), int(number) if number else None, path.name)
