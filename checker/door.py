"""A search from Python: what `epochal.check` does. Every trace is replayed in each reading before anybody sees it."""

from __future__ import annotations

import sys
from typing import Any

from epochal.spec.language import Protocol
from epochal.spec.language.errors import shown_path

from .confirm import found_traces, replay_all, with_facts
from .engines import ENGINES, local_search
from .search.result import CheckResult, Options


def check(protocol: Protocol, *, engine: str = "native", **options: Any) -> CheckResult:
    """Explore every reachable state of a protocol within its bounds, and judge its properties.

    `engine` is "native", or "python" for the slow reference. `options` are those of `epochal.Options`: `properties`,
    `all_violations`, `symmetry`, `workers`, and budgets, of which a spent one cuts the search: then the result is not
    `exhaustive`. The result has what was found; `raise_for_violation` makes an AssertionError of it.

    Raises LanguageError for a specification outside the language, ReadingsDisagree if two readings of it differ,
    EngineMissing if the native engine cannot be loaded, TypeError or ValueError for options that do not exist.
    """
    if not isinstance(protocol, Protocol):
        shown = f"{protocol.__name__}: write {protocol.__name__}()" if isinstance(protocol, type) else repr(protocol)
        raise TypeError(f"check takes a protocol within bounds, such as epochal.load('kip-320'), not {shown}")
    result = local_search(engine)(protocol, _options(engine, options))
    result = with_facts(result, _reference(type(protocol)))
    replay_all(protocol, found_traces(result), result.model)
    return result


def _options(engine: str, given: dict[str, Any]) -> Options:
    """The options of a search. Raises TypeError or ValueError for what means nothing."""
    if engine not in ENGINES:
        raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
    properties = given.get("properties")
    if properties is not None:
        given = {**given, "properties": (properties,) if isinstance(properties, str) else tuple(properties)}
    options = Options(**given)
    for name in ("budget", "max_states", "max_memory", "workers"):
        value = getattr(options, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name} is more than 0, not {value!r}")
    amount = options.cross_check
    if amount not in ("some", "all", "off") and not (type(amount) is int and amount > 0):
        raise ValueError(f"cross_check is a number of states, 'some', 'all' or 'off', not {amount!r}")
    return options


def _reference(kind: type[Protocol]) -> str:
    """How a protocol is called: its name, or where its class stands."""
    if kind.name:
        return kind.name
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return f"{shown_path(file)}:{kind.__qualname__}" if file else kind.__qualname__
