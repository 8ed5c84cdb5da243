"""Which protocol a stored trace may be of: a registered one, or one that the command line names.

A trace names its protocol, and a file that is loaded runs. So what a trace says is compared, and never loaded.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from epochal.sentences import Given, Sentence, naming_protocol
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import SEPARATOR, reference_to, split_reference
from epochal.spec.loading import load_protocol, with_questions
from epochal.spec.registry import is_registered, registered

from .explain import protocol_option
from .itf import TraceError, dumps, said
from .itf_reader import decode, read_trace
from .trace import Trace

LONGEST = 200
"""A name of more characters is told shortened."""


class TraceReader:
    """Reads traces. `protocols` are those that the user names: references, which are loaded, or classes with a name.

    A trace must be of one of these, by the name of its class; if there is none, of a registered one. `questions` are
    functions of files, which the protocols have as properties besides their own.

    With `against` the protocol of a trace is not loaded: its states and steps are read as those of this one.
    """

    def __init__(
        self,
        protocols: Sequence[str | type[Protocol]],
        questions: Sequence[str] = (),
        against: str | type[Protocol] | None = None,
    ) -> None:
        self._given = {
            one if isinstance(one, str) else one.name: load_protocol(one) if isinstance(one, str) else one
            for one in protocols
        }
        self._questions = tuple(questions)
        self._against = load_protocol(against) if isinstance(against, str) else against
        self.against = against if isinstance(against, str) else reference_to(against.name, against) if against else ""
        """How the protocol is called that all traces are read as; "" if each is read as its own."""

    def on_the_other(self, trace: Trace) -> Trace:
        """A trace that is there already, as one of the other protocol. Raises TraceError if it has other states."""
        if self._against is None:
            return trace
        try:
            return decode(dumps(trace), self._protocol, against=True)
        except TraceError as error:
            raise self._other_states(error) from error

    def _other_states(self, error: TraceError) -> TraceError:
        return TraceError(f"it is no run of {self.against}: {error.message}", error.sentences[1])

    def read(self, path: Path) -> Trace:
        """The trace in a file. Raises TraceError if it is none, or one of another protocol."""
        if self._against is not None:
            return self._read_against(path)
        trace = read_trace(path, self._protocol)
        name, separator, settings = str(trace.facts["protocol"]).partition(SEPARATOR)
        called = self._reference(name)
        if called is None:
            return trace
        return replace(trace, facts={**trace.facts, "protocol": f"{called}{separator}{settings}"})

    def _read_against(self, path: Path) -> Trace:
        """The trace in a file as one of the other protocol. What is no trace at all is told as it is without."""
        asked_for: list[str] = []

        def load(claimed: str) -> type[Protocol]:
            asked_for.append(claimed)
            return self._protocol(claimed)

        try:
            return read_trace(path, load, against=True)
        except TraceError as error:
            if not asked_for:  # the file does not even say whose run it is
                raise
            raise self._other_states(error) from error

    def _reference(self, name: str) -> str | None:
        """How the command line names the protocol that a trace calls so."""
        return next((reference for reference, kind in self._given.items() if _is_called(kind, name)), None)

    def _protocol(self, claimed: str) -> type[Protocol]:
        if self._against is not None:
            return with_questions(self._against, self._questions)
        name, settings = split_reference(claimed)
        if self._given:
            reference = self._reference(name)
            if reference is None:
                raise TraceError(
                    f"the trace is of {shown(name)}, not of {' or '.join(self._given)}",
                    (
                        *("Name the protocol that it is of: ", naming_protocol("FILE:NAME")),
                        *(". To replay it on another: ", Given("against", next(iter(self._given)))),
                    ),
                )
            kind = self._given[reference]
        elif is_registered(name):
            kind = registered(name)
        else:
            known = _printable(name) and protocol_option(name)
            named = naming_protocol(name if known else "path/to/file.py:Name")
            raise not_named(name, ("If you trust its file, name it: ", named))
        return with_questions(with_configuration(kind, settings), self._questions)


def not_named(name: str, advice: Sentence) -> TraceError:
    """The refusal of a trace of a protocol that is neither registered nor named on the command line."""
    return TraceError(
        f"the trace is of {shown(name)}, which is no registered protocol; no file runs because a trace names it", advice
    )


def shown(name: str) -> str:
    """A name from a file, as a word of a shell; one that a terminal may obey, or without end, only in part."""
    return shlex.quote(name) if _printable(name) else said(name)


def _printable(name: str) -> bool:
    return name.isprintable() and 0 < len(name) <= LONGEST


def _is_called(kind: type[Protocol], name: str) -> bool:
    """Whether a protocol has the name that a trace gives: its own, or that of its class in whatever file."""
    return name == kind.name or (":" in name and name.rpartition(":")[2] == kind.__name__)
