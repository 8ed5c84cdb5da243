"""The options of a search as keywords, and what every question is about: a protocol within bounds."""

from __future__ import annotations

import operator
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from epochal.checker.search.engines import SEARCHES
from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import without_settings
from epochal.spec.language.errors import shown_path
from epochal.spec.language.reference import reference_to
from epochal.spec.registry import is_registered, registered

if TYPE_CHECKING:
    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.search.result import Progress


# -- names ------------------------------------------------------------------------------------------------------------
# How the protocol of a question is called: by its registered name, or by where its class stands; and its settings.

LOCAL = "<locals>"
"""In the qualified name of a class that a function has made."""


def reference_of(protocol: Protocol) -> str:
    """The name of a protocol as the command line takes it: `kip-320`, `mine.py:Variant`, `kraft --kafka 3.5`.

    Of a class that no name leads to, such as one of a function or a notebook, it is the name it has for people.
    """
    kind = type(protocol)
    return reference_to(name_of(protocol), kind)


def name_of(protocol: Protocol) -> str:
    """The same without its settings: `kip-320`, `mine.py:Variant`, `kraft`."""
    return _name_of(without_settings(type(protocol)))


def can_be_loaded(protocol: Protocol) -> bool:
    """Whether another process would find the same class by the name of this one, and run no script of the user's again.

    A class of the main module it would find by running that script, which asks what this process asks just now.
    """
    if without_settings(type(protocol)).__module__ == "__main__":
        return False
    name = name_of(protocol)
    return is_registered(name) or ".py:" in name


def name_for_people(kind: type[Protocol]) -> None:
    """Let a class have a name: what reports, files and messages call it by.

    One that says no `name` itself gets the one that leads to it, as a class that the command line loads does. Without,
    it would have none, or that of the protocol that it is a variant of.
    """
    own = without_settings(kind)
    before, name = own.name, vars(own).get("name") or _name_of(own)
    for one in (own, kind):
        if one.name == before:
            one.name = name


def _name_of(kind: type[Protocol]) -> str:
    if is_registered(kind.name) and registered(kind.name) is kind:
        return kind.name
    given: str = vars(kind).get("name", "")
    if ".py:" in given:
        return given
    module = sys.modules.get(kind.__module__)
    stands_there = getattr(module, kind.__name__, None) is kind
    file = getattr(module, "__file__", None)
    if file and stands_there:
        return f"{shown_path(file)}:{kind.__name__}"
    if given or not (stands_there or LOCAL in kind.__qualname__):  # made of a class, by a question about it
        return kind.name or kind.__name__
    return kind.__name__


class SearchKeywords(TypedDict, total=False):
    """The keywords of `epochal.Options`."""

    properties: str | Iterable[str] | None
    all_violations: bool
    budget: float | None
    max_states: int | None
    max_memory: int | None
    progress: Callable[[Progress], None] | None
    lemmas: bool
    workers: int | None
    spill: str | Path | None
    compact: bool
    checkpoint: str | Path | None
    checkpoint_on_stop: str | Path | None
    resume: str | Path | None
    symmetry: bool
    cross_check: Amount
    liveness: bool
    fair: str | Iterable[str]
    unfair: str | Iterable[str]
    needs: bool
    optional: bool
    deadlock: bool
    begun: float | None


def required(protocol: object, asked: str) -> Protocol:
    """A protocol within bounds, whose class has a name from now on. Raises UsageError for anything else.

    What is given instead is above all a class, without its bounds.
    """
    if isinstance(protocol, Protocol):
        name_for_people(type(protocol))
        return protocol
    shown = f"{protocol.__name__}: write {protocol.__name__}()" if isinstance(protocol, type) else repr(protocol)
    raise UsageError(f"{asked} takes a protocol within bounds, such as epochal.load('kip-320'), not {shown}")


# -- keywords ---------------------------------------------------------------------------------------------------------
# The keywords of the front door, each checked in one place: what means nothing is refused before anything is asked.
#
# A check takes the name of a keyword and what was said, and gives the value that is meant. What Python can read as it
# is meant is taken: an id alone for several, a text for a path, a whole number of any kind (`operator.index`).

Check = Callable[[str, object], Any]
"""Gives the value that is meant. Raises UsageError if nothing is."""

MOST_WORKERS: Final = 255
MOST_RLIMIT: Final = 2**32 - 1
"""Z3 counts its resource units in 32 bits."""


def refused(name: str, meant: str, said: object) -> UsageError:
    """What is said of a keyword that means nothing: `budget is a number of seconds, not '5m'`."""
    shown = repr(said)
    return UsageError(f"{name} {meant}, not {shown if len(shown) <= LONGEST else f'{shown[:LONGEST]}...'}")


def optional(check: Check) -> Check:
    """The same, where None is allowed too."""
    return lambda name, said: None if said is None else check(name, said)


def whole(least: int = 1, most: int | None = None) -> Check:
    """A whole number in a range."""

    def checked(name: str, said: object) -> int:
        try:
            number = operator.index(said)  # type: ignore[arg-type]  # tried out
        except TypeError:
            raise refused(name, "is a whole number", said) from None
        if isinstance(said, bool):
            raise refused(name, "is a whole number", said)
        if number < least:
            raise refused(name, "is more than 0" if least == 1 else f"is at least {least}", said)
        if most is not None and number > most:
            raise refused(name, f"is at most {most}", said)
        return number

    return checked


def _real(name: str, meant: str, said: object) -> float:
    """A number that is one: no text, and not NaN."""
    if isinstance(said, bool) or not (hasattr(said, "__float__") or hasattr(said, "__index__")):
        raise refused(name, meant, said)
    try:
        number = float(said)  # type: ignore[arg-type]  # tried out
    except (TypeError, ValueError, OverflowError):
        raise refused(name, meant, said) from None
    if number != number:
        raise refused(name, meant, said)
    return number


def seconds(name: str, said: object) -> float:
    """A time that something may take."""
    number = _real(name, "is a number of seconds", said)
    if number <= 0:
        raise refused(name, "is more than 0", said)
    return number


def moment(name: str, said: object) -> float:
    """A moment of the clock that budgets are counted by."""
    meant = "is a moment of time.monotonic() that has passed"
    number = _real(name, meant, said)
    if number > time.monotonic():
        raise refused(name, meant, said)
    return number


def path(name: str, said: object) -> Path:
    """A place in the file system."""
    text = os.fspath(said) if isinstance(said, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise refused(name, "is a path", said)
    return Path(text)


def text(name: str, said: object) -> str:
    """A text that is not empty."""
    if not isinstance(said, str) or not said:
        raise refused(name, "is a text", said)
    return said


def flag(name: str, said: object) -> bool:
    """Yes or no."""
    if not isinstance(said, bool):
        raise refused(name, "is True or False", said)
    return said


def called(name: str, said: object) -> Any:
    """What hears something."""
    if not callable(said):
        raise refused(name, "is a function", said)
    return said


def one_of(*choices: str) -> Check:
    """One of some words."""

    def checked(name: str, said: object) -> str:
        if not isinstance(said, str) or said not in choices:
            raise refused(name, f"is one of {', '.join(choices)}", said)
        return said

    return checked


def ids(name: str, said: object) -> tuple[str, ...]:
    """Several names, perhaps none; one alone needs no list."""
    several = (said,) if isinstance(said, str) else tuple(said) if isinstance(said, Iterable) else None
    if several is None:
        raise refused(name, "is an id or several", said)
    for one in several:
        if not isinstance(one, str):
            raise refused(name, "has ids alone in it", one)
    return several


def some_ids(name: str, said: object) -> tuple[str, ...]:
    """Several names, at least one: who asks about nothing is told nothing."""
    found = ids(name, said)
    if not found:
        raise UsageError(f"{name} names nothing, so that there is nothing to check", f"Leave {name} out to mean all.")
    return found


def some_of(*choices: str) -> Check:
    """Some of these words, perhaps none."""
    one = one_of(*choices)
    return lambda name, said: tuple(one(name, word) for word in ids(name, said))


def sample(name: str, said: object) -> int | str:
    """How many states are repeated in the Python reading."""
    if isinstance(said, str) and said in ("some", "all", "off"):
        return said
    try:
        number: int = whole()(name, said)
    except UsageError:
        raise refused(name, "is a number of states, 'some', 'all' or 'off'", said) from None
    return number


def sample_of_typed(name: str, said: object) -> int | str:
    """The same of a question to Z3: of typed states nobody repeats all."""
    found = sample(name, said)
    if found == "all":
        raise UsageError(
            f"{name}='all' is for searches: there are more typed states than anybody can repeat",
            f"Give a number: {name}=500.",
        )
    return found


def bounds(name: str, said: object) -> dict[str, Any]:
    """Bounds by name. The protocol checks their values."""
    if not isinstance(said, Mapping) or not all(isinstance(key, str) for key in said):
        raise refused(name, "is a dict of bounds such as {'replicas': 3}", said)
    return dict(said)


def renaming(name: str, said: object) -> dict[str, str]:
    """Names by names."""
    texts = isinstance(said, Mapping) and all(isinstance(one, str) for pair in said.items() for one in pair)
    if not isinstance(said, Mapping) or not texts:
        raise refused(name, "is a dict from actions of the first to actions of the second", said)
    return dict(said)


def pair(name: str, said: object) -> tuple[str, str]:
    """Two names."""
    found = ids(name, said) if isinstance(said, tuple | list) else ()
    if len(found) != 2:
        raise refused(name, "is how both are called, two texts", said)
    return found[0], found[1]


def anything(_: str, said: object) -> Any:
    """Whatever was said: one of the objects of Epochal, which only Epochal makes."""
    return said


KEYWORDS: Final[Mapping[str, Check]] = {
    "properties": optional(some_ids),
    "all_violations": flag,
    "budget": optional(seconds),
    "begun": optional(moment),
    "max_states": optional(whole()),
    "max_memory": optional(whole()),
    "progress": optional(called),
    "preparing": optional(called),
    "reporting": optional(called),
    "tell": called,
    "lemmas": flag,
    "workers": optional(whole(most=MOST_WORKERS)),
    "spill": optional(path),
    "compact": flag,
    "checkpoint": optional(path),
    "checkpoint_on_stop": optional(path),
    "resume": optional(path),
    "symmetry": flag,
    "cross_check": sample,
    "liveness": flag,
    "fair": ids,
    "unfair": ids,
    "needs": flag,
    "optional": flag,
    "deadlock": flag,
    "engine": one_of(*SEARCHES),
    "cluster": anything,
    "reader": anything,
    "protocols": anything,  # classes too: `replay` checks them, and `against`
    "against": anything,
    "static": flag,
    "witnesses": flag,
    "reference": optional(text),
    "references": optional(pair),
    "runs": optional(whole()),
    "depth": whole(),
    "traces": whole(0),
    "seed": whole(least=0, most=2**64 - 1),
    "length": whole(least=0),
    "after": optional(text),
    "start": ids,
    "actions": flag,
    "rlimit": optional(whole(most=MOST_RLIMIT)),
    "candidates": optional(text),
    "minimize": flag,
    "master": optional(text),
    "cached": flag,
    "renamed": optional(renaming),
    "strict": flag,
    "judge": flag,
    "only": optional(text),
    "survivors": optional(path),
    "faults": ids,
    "versions": ids,
    "varied": flag,
    "listed": flag,
    "base": optional(text),
    "baseline": optional(path),
    "only_changed": flag,
    "bounds": optional(bounds),
    "violated": ids,
}
"""What each keyword means, wherever it stands; a question says where it means something else there."""
