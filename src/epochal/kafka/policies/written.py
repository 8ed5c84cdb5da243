"""The text of a policy: Kubernetes' CEL, Rego for OPA and conftest, or a class for brokers, of the same classes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Literal

from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN

from ..audit.declared import TYPES
from .settings_classes import COPIES, MORE, UNSET, SettingsClass, Verdict

if TYPE_CHECKING:
    from jinja2 import Template

Target = Literal["kubernetes", "opa", "java"]
Undecided = Literal["refuse", "admit"]

CLASS = "EpochalTopicPolicy"
FILES: Mapping[Target, str] = {"kubernetes": "kubernetes.yaml", "opa": "opa.rego", "java": f"{CLASS}.java"}

NAMES = "replication factor/min.insync.replicas/unclean election"
NOT_DECIDED = "no search has decided it"

LISTS = 10
"""Rego has no recursion: how often a list or its entry is opened. A list of a topic takes two."""

BLANK, BLANK_END = r"^[\\t\\n\\f\\r ]*", r"[\\t\\n\\f\\r ]*$"
"""What may stand around a value, as CEL has it in a text."""


def written(
    target: Target,
    head: Sequence[str],
    classes: Sequence[SettingsClass],
    defaults: Mapping[str, str],
    undecided: Undecided,
) -> str:
    """A policy that refuses what is refused of `classes`, and what no search has decided if it is to be refused.

    `defaults` are values that brokers have set, by their names.
    """
    copies, min_isr = defaults.get(COPIES), defaults.get(MIN_ISR)
    return _template(FILES[target]).render(
        head=head,
        admitted=[one for one in classes if one.verdict == "admitted"],
        refused=[one for one in classes if one.verdict == "refused"],
        refuses_undecided=undecided == "refuse",
        defaults={
            "copies": copies and int(copies),
            "min_isr": min_isr and int(min_isr),
            "min_isr_text": min_isr,
            "unclean": defaults[UNCLEAN],
        },
        terraform={name: {"copies": one.copies, "settings": one.settings} for name, one in TYPES.items()},
        number=_number_in_cel,
        MIN_ISR=MIN_ISR,
        UNCLEAN=UNCLEAN,
        MORE=MORE,
        UNSET=UNSET,
        NAMES=NAMES,
        NOT_DECIDED=NOT_DECIDED,
        BLANK=BLANK,
        BLANK_END=BLANK_END,
        CLASS=CLASS,
        LISTS=LISTS,
    )


def _number_in_cel(said: str) -> str:
    """The number that is said, as CEL has it: 0 for none, -1 for what is no number above zero."""
    pattern = f"{BLANK}[0-9]{{1,9}}{BLANK_END}"
    return (
        f"{said} == null ? 0 : type({said}) == int && {said} > 0 ? {said} :\n"
        f'        type({said}) == string && {said}.matches("{pattern}") && int({said}.trim()) > 0 ?\n'
        f"        int({said}.trim()) : -1"
    )


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True)
    made.filters["json"] = json.dumps
    text = resources.files("epochal.kafka.policies").joinpath(f"{name}.j2").read_text(encoding="utf-8")
    return made.from_string(text)


def table(classes: Sequence[SettingsClass], undecided: Undecided) -> Iterator[str]:
    """What becomes of which classes, and why: those of one reason in one line."""
    alike: dict[tuple[Verdict, str], list[str]] = {}
    for one in sorted(classes, key=lambda one: VERDICTS.index(one.verdict)):
        alike.setdefault((one.verdict, one.why), []).append(one.key)
    for (verdict, why), keys in alike.items():
        word = f"not decided, and {'refused' if undecided == 'refuse' else 'admitted'}"
        yield f"{word if verdict == 'undecided' else verdict}: {', '.join(keys)}{f' ({why})' if why else ''}"


VERDICTS: Sequence[Verdict] = ("admitted", "refused", "undecided")
