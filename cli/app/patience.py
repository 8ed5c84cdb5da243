"""The patience of a command from its start on: --budget is known before the other options are.

Which options a command has depends on the protocol, and to load that one is to run code of the user.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from .quantities import Quantity

if TYPE_CHECKING:
    from epochal.checker.search.patience import Patience

PATIENCE = "epochal.patience"
"""Where a command's context keeps its patience."""


def begun(args: Sequence[str], params: Sequence[click.Parameter], settings: Mapping[str, Any] | None) -> Patience:
    """The patience of a command that begins now, with its budget and its limit of memory if it has such options.

    A value that is none is left to the command's parser, which says so.
    """
    from epochal.checker.search.patience import Patience

    limits = {param.name: _said(args, param, settings or {}) for param in params}
    memory = limits.get("max_memory")
    return Patience(limits.get("budget"), None if memory is None else int(memory))


def begun_at() -> float:
    """The moment at which the present command began."""
    patience: Patience = click.get_current_context().meta[PATIENCE]
    return patience.begun


def _said(args: Sequence[str], param: click.Parameter, settings: Mapping[str, Any]) -> float | None:
    if not isinstance(param.type, Quantity):
        return None
    found: object = settings.get(str(param.name))
    if isinstance(param.envvar, str):
        found = os.environ.get(param.envvar) or found
    for at, word in enumerate(args):
        name, equals, value = word.partition("=")
        if name in param.opts:
            found = value if equals else args[at + 1] if at + 1 < len(args) else None
    return None if found is None else param.type.parsed(found)
