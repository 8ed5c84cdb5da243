"""The page of the catalogue, from spec/bugs."""

from __future__ import annotations

from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.not_modelled import NOT_MODELLED

from .markdown import page, table

INTRODUCTION = """
`epochal catalogue ID` searches an entry in both its protocols and tells the shortest run. `PROTOCOL` lacks the rule,
and `FIXED` has it; both are names for every command. `ID` is the number in brackets, or a ticket. An entry without a
ticket is called by its KIP or its place in Kafka, and is known from the model only, unless running brokers
[have shown it](../kafka/reproduced.md).
"""


def catalogue() -> str:
    """What is searched, and what is known and in no model."""
    return page(
        "All entries of the catalogue",
        INTRODUCTION,
        table(
            ("bug (ID)", "what happens", "also", "Kafka", "PROTOCOL", "FIXED", "property that tells"),
            (
                (
                    one.name,
                    one.title,
                    one.also,
                    one.versions,
                    f"`{one.without_rule}`",
                    f"`{one.with_rule}`",
                    f"`{one.property_id}`",
                )
                for one in CATALOGUE
            ),
        ),
        "## Known, and in no model",
        table(
            ("bug (ID)", "what happens", "also", "Kafka", "why it is in no model"),
            ((one.name, one.title, one.also, one.versions, one.reason) for one in NOT_MODELLED),
        ),
    )
