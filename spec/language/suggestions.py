"""Nearest names, for messages about a name that does not exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

CUTOFF = 0.55


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like `name`, or None if none does."""
    by_folded = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), list(by_folded), n=1, cutoff=CUTOFF)
    return by_folded[found[0]] if found else None


def advice(name: str, known: Iterable[str], what: str) -> str:
    """`Did you mean kip-320?`, or all known names if none is near. `what` is their plural, as in `properties`."""
    names = list(known)
    found = nearest(name, names)
    if found is not None:
        return f"Did you mean {found}?"
    return f"Known {what}: {', '.join(names)}." if names else f"There are no {what}."


def undefined(error: NameError) -> str:
    """What to do where a rule reads a name that has no value there."""
    if isinstance(error, UnboundLocalError):
        return "Assign it on every way that leads here."
    return f"The name {error.name} means nothing here: define or import it, or correct it."


def of_the_same_number(said: str, names: Iterable[str]) -> list[str]:
    """The names that somebody may have meant: one with other numbers in it is another thing, and no typing error.

    Without a number in what was said all of them may be meant.
    """
    numbers = re.findall(r"[0-9]+", said)
    return [name for name in names if not numbers or re.findall(r"[0-9]+", name) == numbers]
