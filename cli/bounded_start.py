"""Where `epochal bmc` begins: what --from and --start say, or the initial states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import codes
from .boundary import Failure
from .load import Subject, load_function, load_protocol

if TYPE_CHECKING:
    from checker.solver.start import Start
    from spec.language import Protocol


def chosen_start(subject: Subject, way: str | None, conditions: tuple[str, ...]) -> Start:
    """The start that was asked for. Raises Failure with exit code 2 for one that does not exist."""
    from checker.solver.start import from_conditions, from_initial_states
    from spec.language import LanguageError

    if way is not None and conditions:
        raise Failure(codes.USAGE, "--from and --start exclude each other.\n  A state of a trace is one state already.")
    if way is None and not conditions:
        return from_initial_states(subject.protocol)
    try:
        if way is not None:
            return _after_trace(subject, way)
        chosen = [load_function(c) if ".py" in c else c for c in conditions]
        return from_conditions(subject.protocol, chosen)
    except LanguageError as error:
        raise Failure(codes.USAGE, str(error)) from error


def _after_trace(subject: Subject, way: str) -> Start:
    from checker.solver.start import from_trace
    from checker.trace.itf_reader import read_trace

    name, separator, number = way.rpartition(":")
    if not (separator and number.isdecimal()):
        name, number = way, ""
    path = Path(name)
    if not path.is_file():
        raise Failure(codes.USAGE, f"there is no trace {path}.\n  Write --from path/to/trace.itf.json:INDEX.")

    def load(reference: str) -> type[Protocol]:
        return type(subject.protocol) if reference == subject.reference else load_protocol(reference)

    return from_trace(subject.protocol, read_trace(path, load), int(number) if number else None, path.name)
