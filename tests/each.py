"""One test of many cases: a registry has hundreds of entries, and each of them is no test of its own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["cases_of", "for_each"]


def for_each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a check for every case in one test, which names all cases that failed.

    `names` are the arguments of the check that a case gives, as in `pytest.mark.parametrize`; the others are fixtures.
    All cases share these, so that a check must not leave anything behind; only `tmp_path` is another folder for each. A
    case that skips has failed: nobody would see it.

    Raises ValueError without cases, since such a test could not fail.
    """
    arguments, every = names.replace(",", " ").split(), list(cases)
    if not every:
        raise ValueError(f"there is no case of {names}")

    def decorated(check: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(check)
        def test(**fixtures: Any) -> None:
            failed: list[str] = []
            first: BaseException | None = None
            for number, case in enumerate(every):
                values = (case,) if len(arguments) == 1 else case
                own = {"tmp_path": fixtures["tmp_path"] / f"case-{number}"} if "tmp_path" in fixtures else {}
                try:
                    for folder in own.values():
                        folder.mkdir()
                    check(**{**fixtures, **own}, **dict(zip(arguments, values, strict=True)))
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    first = first or error
                    failed.append(f"{', '.join(map(_name, values))}: {type(error).__name__}: {error}")
            if failed:
                told = "\n".join(failed)
                raise AssertionError(f"{len(failed)} of {len(every)} cases of {names} failed:\n{told}") from first

        signature = inspect.signature(check)
        left = [one for name, one in signature.parameters.items() if name not in arguments]
        test.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        test.cases = len(every) * cases_of(check)  # type: ignore[attr-defined]
        return test

    return decorated


def cases_of(test: object) -> int:
    """Return the number of cases that a test function has."""
    return int(getattr(test, "cases", 1))


def _name(value: object) -> str:
    return str(getattr(value, "__name__", None) or getattr(value, "id", value))
