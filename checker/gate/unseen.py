"""Rules that mean something else where no search of a model has come, and what the gate says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from epochal.checker.difference.unreached import Unreached, shown_at_larger_bounds, unreached
from epochal.checker.host.numbers import counted
from epochal.spec.language.members import title
from epochal.spec.language.reference import as_options

from ..difference.rules import Rules, decode_rules, rules_of
from ..search.result import Options
from .record import Record

if TYPE_CHECKING:
    from .model_search import ModelSearch

NOT_AT_HAND = "what those of the baseline say elsewhere is not known here (--base REF compares with those of a commit)"
ADVICE = (
    "Take larger bounds into the model, at which a search sees what it does; or approve the rules as they are: "
    "epochal gate approve --reason '...'"
)

RulesOfBase = Callable[[dict[str, int]], dict[str, Any] | None]
"""The rules of the baseline within other bounds, as plain data; None if they cannot be had."""


def unreached_rules(
    question: ModelSearch,
    record: Record,
    base: Record,
    old: dict[str, Any] | None,
    at: RulesOfBase | None,
    options: Options,
) -> Unreached | None:
    """How the rules of a model differ from those of the baseline, although its reachable steps do not; None if they do
    not either.

    `old` are the baseline's rules, and `at` gives them within larger bounds, which are searched then.
    """
    if record.specification == base.specification or record.same_part(base, "rules"):
        return None
    if old is None:
        return Unreached(other=NOT_AT_HAND)
    found = unreached(decode_rules(old, question.protocol), question.rules)
    if found is None or at is None:
        return found
    kind = type(question.protocol)

    def both(bounds: dict[str, int]) -> tuple[Rules, Rules] | None:
        from ..compile.compiler import compile_protocol

        theirs = at(bounds)
        if theirs is None:
            return None
        ours = kind(kind.bounds_type()(**bounds))
        return decode_rules(theirs, ours), rules_of(compile_protocol(ours, only=()))

    return shown_at_larger_bounds(found, record.bounds, kind.bounds_type().declared(), both, options)


def told_unseen(record: Record, found: Unreached) -> Iterator[tuple[str, str]]:
    """What there is to say, and of which action: each rule that differs, or that may; or the model as a whole."""
    where = f"no state within these bounds shows it, {record.distinct_states:,} states compared{_shown(record, found)}"
    for name in found.actions:
        yield f"the rules of {title(name)} differ from the baseline's; {where}", name
    for name in found.open:
        yield f"the rules of {title(name)} may differ from the baseline's, which Z3 could not tell; {where}", name
    if found.other:
        yield (
            f"{found.other} may differ from the baseline's; {where}"
            if found.other != NOT_AT_HAND
            else (f"the rules are written otherwise, and {found.other}; {where}"),
            "",
        )


def _shown(record: Record, found: Unreached) -> str:
    """At which larger bounds it shows, as far as that was asked."""
    if found.shown_at is not None:
        raised = {name: value for name, value in found.shown_at.items() if value != record.bounds.get(name)}
        return f"; it shows with {' '.join(as_options(raised))}"
    return f", nor do short searches within {counted(found.tried, 'larger set')} of bounds" if found.tried else ""
