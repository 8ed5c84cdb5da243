"""A command about two protocols, A and B, at the same bounds: those of A are its options, and B gets the same."""

from __future__ import annotations

import click

from epochal.errors import UsageError
from epochal.spec.language.configurable import configuration_of, reference_to, split_reference, with_configuration
from epochal.spec.loading import Subject, instantiate, load_protocol

from .setting_options import SETTINGS


def second_subject(first: Subject, reference: str) -> Subject:
    """The second protocol, at the bounds of the first and with the settings that options have said of both.

    Those that stand with its own name count before. Raises EpochalError if it has other bounds, or no such setting.
    """
    kind = load_protocol(reference, again=False)
    said = click.get_current_context().meta.get(SETTINGS, {})
    own = configuration_of(kind)
    kind = with_configuration(kind, {name: value for name, value in said.items() if name not in own})
    reference = reference_to(split_reference(reference)[0], kind)
    bounds = first.protocol.bounds.as_dict()
    declared = kind.bounds_type().declared()
    different = [name for name in (*bounds, *declared) if (name in bounds) != (name in declared)]
    if different:
        owner = first.reference if different[0] in bounds else reference
        raise UsageError(
            f"{first.reference} and {reference} have different bounds: only {owner} has {different[0]}.\n"
            "  Only protocols with the same bounds and the same states can be compared.",
        )
    return Subject(reference, instantiate(kind, bounds))


def renamed_actions(pairs: tuple[str, ...]) -> dict[str, str]:
    """What --rename OLD=NEW says. Raises EpochalError for an action that is named twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        old, separator, new = pair.partition("=")
        if not separator:
            raise UsageError(f"--rename {pair} has no '='.\n  Write --rename OLD=NEW.")
        if old in found or new in found.values():
            raise UsageError(f"--rename {pair}: one of the two is renamed already.\n  Each has one partner.")
        found[old] = new
    return found
