"""The same question, answered twice: two exhaustive searches of rules that mean the same must agree in every figure.

Where they do not, one of the two engines is wrong: this one, or that of the version that wrote the baseline. It is the
one place where whoever uses an engine can notice that it miscounts, so it is never told as a change of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from .record import Record

Figure = tuple[str, object, object]
"""What it is of, in words; in the one record, and in the other."""


def differing_figures(record: Record, other: Record) -> list[Figure]:
    """The figures in which two exhaustive records of the same rules differ; none where the question is not the same.

    A violation that only `record` has is none of them: its run was replayed, and it fails by itself.

    How many new states an action found, and how long a run goes round for ever, are no such figures: the order in which
    actions stand in a file may decide them.
    """
    if record.specification != other.specification or not (record.exhaustive and other.exhaustive):
        return []
    return [(name, one, another) for name, one, another in _figures(record, other) if one != another]


def _figures(record: Record, other: Record) -> Iterator[Figure]:
    yield "distinct states", record.distinct_states, other.distinct_states
    yield "generated states", record.generated_states, other.generated_states
    yield "depth", record.depth, other.depth
    yield "the digest of the states", record.state_digest, other.state_digest
    yield "the digest of the steps", record.step_digest, other.step_digest
    for name in sorted(record.actions.keys() & other.actions.keys()):
        yield f"steps of {name}", record.actions[name][0], other.actions[name][0]
    for name in sorted(record.properties.keys() & other.properties.keys()):
        one, another = record.properties[name], other.properties[name]
        replayed = name in record.violated() and another.verdict != one.verdict
        if one.digest == another.digest and not replayed and "not judged" not in (one.verdict, another.verdict):
            yield f"the verdict on {name}", one.verdict, another.verdict
            yield f"the shortest run of {name}", one.length, another.length


def told(figures: list[Figure], record: Record, name: str, other: Record) -> str:
    """The sentence about figures that differ. `name` is that of the baseline."""
    listed = "; ".join(f"{what}: {_shown(here)} here, {_shown(there)} there" for what, here, there in figures[:3])
    more = f"; and {len(figures) - 3} more" if len(figures) > 3 else ""
    return (
        f"the rules mean the same as in {name}, and the figures differ. {listed}{more}. "
        f"One of the two is wrong: this version ({record.tool}), or the one that wrote {name} ({other.tool}), unless "
        "somebody has edited that file. This is a bug in Epochal: report it with both files. "
        "'epochal gate approve' writes the present figures"
    )


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "none" if value is None else str(value)
