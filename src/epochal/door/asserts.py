"""`epochal.assert_holds`: a test of a protocol in one line, which fails with the story of what went wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from epochal.door.check import CheckResult, check
from epochal.door.question import question
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol

if TYPE_CHECKING:
    from typing import Unpack

    from epochal.door.options import SearchKeywords


@question()
def assert_holds(
    protocol: Protocol | type[Protocol] | str,
    /,
    *,
    bounds: dict[str, int] | None = None,
    violated: str | Iterable[str] = (),
    **options: Unpack[SearchKeywords],
) -> CheckResult:
    """Assert that a protocol keeps what it promises, in every state within the bounds; its result.

    `protocol` is one within bounds, a class, or a reference as on the command line: "kip-320", "mine.py:Variant".
    `bounds` are for the latter two. `violated` names the properties that must be violated, of a protocol that is known
    to be wrong: then exactly these are. `options` are those of `epochal.check`.

    Raises AssertionError whose text is the shortest run as a story, also if a rule failed; UsageError where bounds are
    given twice, and for what is no protocol.
    """
    __tracebackhide__ = True
    if isinstance(protocol, Protocol):
        if bounds:
            raise UsageError("the protocol has its bounds already: give a class, or leave bounds out")
        asked = protocol
    elif isinstance(protocol, str):
        from epochal.spec.door import load

        asked = load(protocol, **(bounds or {}))
    elif not (isinstance(protocol, type) and issubclass(protocol, Protocol)):
        raise UsageError(f"assert_holds takes a protocol, its class or a reference such as 'kip-320', not {protocol!r}")
    else:
        keywords: dict[str, Any] = dict(bounds or {})
        asked = protocol(**keywords)
    wanted = set(violated)
    if wanted:
        options = {**options, "all_violations": True}
    result = check(asked, **options)
    if wanted:
        found, named = ", ".join(sorted(result.violated)) or "nothing", ", ".join(sorted(wanted))
        if result.exit_code not in (ExitCode.VIOLATED, ExitCode.EXPECTATION_MISSED) or result.violated != wanted:
            raise AssertionError(f"expected to be violated: {named}; was: {found}\n{result}")
        if result.search.error is not None:
            raise AssertionError(f"violated: {named}; the rest is not known, as a rule failed\n{result}")
        unknown = [name for name, verdict in result.verdicts.items() if verdict == "unknown"]
        if unknown:
            raise AssertionError(f"violated: {named}; not known, as the search was cut: {', '.join(unknown)}\n{result}")
        return result
    result.raise_for_violation()
    return result
