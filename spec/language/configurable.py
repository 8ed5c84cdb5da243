"""Words of a configuration: one specification stands for several protocols, and words say which is meant.

A bound is a size of the model; a word chooses among rules, as an operator or a version does. The words of a protocol
become options of the commands that take it, and stand with its name wherever it is named::

    kraft --kafka 3.5 --acks 1 --no-elr
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from .bounds import Bounds
from .class_lines import class_line
from .errors import BoundsError, LanguageError, require_printable
from .protocol import Protocol

WordValue = str | int | bool


@dataclass(frozen=True)
class Word:
    """A word: `switch` (on or off), `number`, or `text`, perhaps one of `choices`. `default` is told in the help."""

    name: str
    kind: Literal["switch", "number", "text"]
    help: str
    default: str
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        texts = (self.name, self.help, self.default, *(self.choices if isinstance(self.choices, tuple) else (None,)))
        fits = all(isinstance(text, str) for text in texts) and self.kind in ("switch", "number", "text")
        if not fits or not self.name.isidentifier():
            raise LanguageError(
                f"{self.name!r} is no word",
                advice='Write Word("acks", "text", "what it means", "all", ("0", "1", "all")).',
            )
        for text in (self.name, self.help, self.default, *self.choices):
            require_printable(text, f"a text of the word {self.name!a}")

    @property
    def option(self) -> str:
        """The command-line option that sets this word."""
        return "--" + self.name.replace("_", "-")

    @property
    def negation(self) -> str:
        """The command-line option that turns a switch off."""
        return "--no-" + self.name.replace("_", "-")

    def value(self, said: object) -> WordValue:
        """What was said, as a value of this word. Numbers may be texts. Raises BoundsError if it is none."""
        if self.kind == "switch":
            if isinstance(said, bool):
                return said
            raise BoundsError(f"{self.option} must be true or false, not {said!r}")
        text = str(said)
        if self.kind == "number":
            if isinstance(said, str | int) and not isinstance(said, bool) and text.removeprefix("-").isdecimal():
                return int(text[:9])
            raise BoundsError(f"{self.option} must be a whole number, not {text[:40]!r}")
        if isinstance(said, bool) or not isinstance(said, str | int | float) or not text.isprintable():
            raise BoundsError(f"{self.option} needs a text, not {said!r}", advice=f"Write {self.option} TEXT.")
        if self.choices and text not in self.choices:
            raise BoundsError(f"{self.option} {text[:40]}: it must be one of {', '.join(self.choices)}")
        return text

    def shown(self, value: WordValue) -> str:
        """A value for people: `on`, `2`, `all`."""
        return str(value) if self.kind != "switch" else "on" if value else "off"

    def as_options(self, value: WordValue) -> list[str]:
        """The options that say so: `["--acks", "1"]`, `["--no-elr"]`."""
        if self.kind == "switch":
            return [self.option if value else self.negation]
        return [self.option, str(value)]


class Configurable(Protocol):
    """A protocol that words configure. `configuration` is what was said when this class was made."""

    words: ClassVar[tuple[Word, ...]] = ()
    configuration: ClassVar[Mapping[str, WordValue]] = {}

    def __init__(self, bounds: Bounds | None = None, **named: int) -> None:
        super().__init__(bounds, **named)
        self.check_bounds(self.bounds)

    @classmethod
    def configured(cls, configuration: Mapping[str, WordValue]) -> type[Self]:
        """The protocol that these words mean; what is left out is as in this one's defaults.

        Raises BoundsError where they contradict each other.
        """
        raise NotImplementedError

    @classmethod
    def check_bounds(cls, bounds: Any) -> None:
        """Raise BoundsError if the configuration contradicts the bounds."""


def words_of(kind: type[Protocol]) -> dict[str, Word]:
    """The words of a protocol by name, in the order of their declaration; none if it is not configurable."""
    if issubclass(kind, Configurable) and not all(isinstance(word, Word) for word in _listed(kind.words)):
        raise LanguageError(
            f"the words of {kind.__name__} are no tuple of words", class_line(kind), "Write words = (Word(...), ...)."
        )
    return {word.name: word for word in kind.words} if issubclass(kind, Configurable) else {}


def _listed(words: object) -> tuple[object, ...]:
    return words if isinstance(words, tuple) else (words,)


def configuration_of(protocol: Protocol | type[Protocol]) -> dict[str, WordValue]:
    """The words that a protocol was made with, in the order of their declaration."""
    kind = protocol if isinstance(protocol, type) else type(protocol)
    if not issubclass(kind, Configurable):
        return {}
    return {name: kind.configuration[name] for name in words_of(kind) if name in kind.configuration}


def with_words(kind: type[Protocol], said: Mapping[str, object]) -> type[Protocol]:
    """The protocol with these words besides those it was made with. Raises BoundsError for a word it does not take."""
    known = words_of(kind)
    for name in said:
        if name not in known:
            raise BoundsError(f"{kind.name or kind.__name__} has no word {name!r}")
    if not said or not issubclass(kind, Configurable):
        return kind
    values = {name: word.value(said[name]) for name, word in known.items() if name in said}
    if values.items() <= configuration_of(kind).items():
        return kind
    return kind.configured({**configuration_of(kind), **values})


def as_options(protocol: Protocol | type[Protocol]) -> list[str]:
    """The words that a protocol was made with, as they are written on a command line."""
    words = words_of(protocol if isinstance(protocol, type) else type(protocol))
    return [part for name, value in configuration_of(protocol).items() for part in words[name].as_options(value)]


# -- references: a name, and words after it ---------------------------------------------------------------------------


def split_reference(reference: str) -> tuple[str, dict[str, object]]:
    """A reference such as `kraft --acks 1 --no-elr` as the name, and what its words say, unchecked."""
    name, separator, rest = reference.partition(" --")
    said: dict[str, object] = {}
    tokens = f"--{rest}".split() if separator else []
    while tokens:
        token = tokens.pop(0)
        if not token.startswith("--"):
            raise BoundsError(f"{reference!r}: {token!r} belongs to no word", advice="Write NAME --WORD VALUE.")
        word, equals, value = token[2:].partition("=")
        word = word.replace("-", "_")
        if equals:
            said[word] = value
        elif tokens and not tokens[0].startswith("--"):
            said[word] = tokens.pop(0)
        elif word.startswith("no_"):
            said[word.removeprefix("no_")] = False
        else:
            said[word] = True
    return name, said


def joined(name: str, said: Mapping[str, WordValue]) -> str:
    """A reference of a name and words that are not checked yet, such as those of a table."""
    words = [
        Word(word, "switch" if isinstance(value, bool) else "text", "", "").as_options(value)
        for word, value in said.items()
    ]
    return " ".join([name, *(part for parts in words for part in parts)])


def reference_to(name: str, kind: type[Protocol]) -> str:
    """How a protocol is named with its words: `kraft --acks 1 --no-elr`. `name` is its name without them."""
    return " ".join([name, *as_options(kind)])


def quoted(reference: str) -> str:
    """A reference as it is typed into a shell."""
    name, separator, words = reference.partition(" --")
    return shlex.join([name, *f"{separator}{words}".split()])
