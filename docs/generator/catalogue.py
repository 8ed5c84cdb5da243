"""The page of the catalogue, from spec/bugs."""

from __future__ import annotations

from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.not_modelled import NOT_MODELLED

from .markdown import page, table

INTRODUCTION = """
`epochal catalogue ID` searches an entry in both its protocols and tells the shortest run. `PROTOCOL` lacks the rule,
and `FIXED` has it; both are names for every command. An entry without a ticket is known from the model only.
"""


def catalogue() -> str:
    """What is searched, and what is known and in no model."""
    return page(
        "All entries of the catalogue",
        INTRODUCTION,
        table(
            ("ID", "what happens", "source", "Kafka", "PROTOCOL", "FIXED", "property that tells"),
            (
                (
                    one.id,
                    one.title,
                    one.source,
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
            ("ID", "what happens", "source", "Kafka", "why it is in no model"),
            ((one.id, one.title, one.source, one.versions, one.reason) for one in NOT_MODELLED),
        ),
    )
