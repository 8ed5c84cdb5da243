"""What the gate says of rules that mean something else where no search of a model has come."""

from __future__ import annotations

from collections.abc import Iterator

from epochal.spec.language.members import title
from epochal.spec.language.reference import as_options

from ..difference.difference import Unreached
from ..host.numbers import counted
from .record import Record

NOT_AT_HAND = "what those of the baseline say elsewhere is not known here (--base REF compares with those of a commit)"
ADVICE = (
    "Take larger bounds into the model, at which a search sees what it does; or approve the rules as they are: "
    "epochal gate approve --reason '...'"
)


def told_unseen(record: Record, found: Unreached) -> Iterator[tuple[str, str]]:
    """What there is to say, and of which action: each rule that differs, or that may; or the model as a whole."""
    where = f"no state within these bounds shows it, {record.distinct_states:,} states compared{_shown(record, found)}"
    differ = "allow steps that the baseline's do not" if found.gained else "differ from the baseline's"
    for name in found.actions:
        yield f"the rules of {title(name)} {differ}; {where}", name
    for name in found.open:
        yield f"the rules of {title(name)} may {differ}, which Z3 could not tell; {where}", name
    for name in found.failing:
        fail = "fail where the baseline's do not" if found.gained else "fail in other states than the baseline's"
        yield f"the rules of {title(name)} {fail}; {where}", name
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
