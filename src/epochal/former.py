"""Names that users know from before. They work for one release more, with a warning that says what to write."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

OPTIONS: Final = {
    "--wishes": "--optional",
    "--beneath": "--causes",
    "--comes-back": "--recovery",
    "--judge": "--check-properties",
}
"""Options of commands: the former name, and the present one."""

KEYWORDS: Final = {
    "wishes": "optional",
    "beneath": "causes",
    "comes_back": "recovery",
    "judge": "check_properties",
}
"""Keywords of the functions of `epochal`."""

FIELDS: Final = {
    "beneath": "causes",
    "comes_back": "recovery",
    "dead_ends": "terminal_states",
    "doomed": "losing_states",
    "ends": "termination",
    "generated_states": "transitions",
    "interchangeable": "symmetric",
    "judged": "checked",
    "not_judged": "not_checked",
    "reading": "semantics",
    "readings": "compared",
    "wish": "optional",
}
"""Fields of JSON documents, which have both for now. The schema marks the former ones as deprecated."""


def present_options(arguments: Sequence[str], tell: Callable[[str], None]) -> list[str]:
    """Return the arguments of a command with the present names of options, and tell of each former one."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    named = [one.partition("=") for one in arguments[:end]]
    for former in dict.fromkeys(name for name, _, _ in named if name in OPTIONS):
        tell(f"epochal: warning: {former} is called {OPTIONS[former]} now. The next release refuses the former name.")
    return ["".join((OPTIONS.get(name, name), sign, value)) for name, sign, value in named] + list(arguments[end:])


def present_keywords(given: dict[str, Any]) -> None:
    """Give keywords their present names. Warns of each former one. Raises TypeError where both are given."""
    for former, present in KEYWORDS.items():
        if former not in given:
            continue
        if present in given:
            raise TypeError(f"{former} is the former name of {present}: give {present} alone")
        message = f"{former} is called {present} now; the next release refuses the former name"
        warnings.warn(message, DeprecationWarning, stacklevel=3)
        given[present] = given.pop(former)
