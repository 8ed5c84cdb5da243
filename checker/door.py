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
    if engine not in ENGINES:
        raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
    if isinstance(options.get("properties"), list | tuple | set | frozenset):
        options["properties"] = tuple(options["properties"])
    result = local_search(engine)(protocol, Options(**options))
    result = with_facts(result, _reference(type(protocol)))
    replay_all(protocol, found_traces(result), result.model)
    return result


def _reference(kind: type[Protocol]) -> str:
    """How a protocol is called: its name, or where its class stands."""
    if kind.name:
        return kind.name
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return f"{shown_path(file)}:{kind.__qualname__}" if file else kind.__qualname__
