"""Bounds and settings of a protocol as options of a command, such as `--kafka 3.5`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from epochal.spec.language import Given, Protocol, Setting
    from epochal.spec.language.bounds import BoundField

PROTOCOL = "epochal.protocol"
"""Where a command's context keeps the protocol it has loaded, with the settings of its reference."""

SETTINGS = "epochal.settings"
"""Where it keeps what the options for settings have said."""

BOUNDS = "epochal.bounds"
"""Where it keeps what the options for bounds have said."""

QUESTIONS = "epochal.questions"
"""Where it keeps the functions that are asked of the protocol besides its properties, by reference."""


CALLED = {"after": "from", "candidates": "houdini", "properties": "property"}
"""What Python cannot call as the options are called: keywords by the names of their options."""


def as_option(given: Given) -> str:
    """A bound or setting that a message names, as it is typed: `--replicas 9`, `--no-elr`."""
    from epochal.sentences import GivenProtocols
    from epochal.spec.language.configurable import negation, option

    if isinstance(given, GivenProtocols):
        return f"{option(given.name)} {shlex.quote(str(given.value))}"
    given = replace(given, name=CALLED.get(given.name, given.name))
    if given.value is None or isinstance(given.value, bool):
        return negation(given.name) if given.value is False else option(given.name)
    return f"{option(given.name)} {given.value}"


def bound_option(field: BoundField, default: int) -> click.Option:
    """The option that sets a bound. What it says is kept in the context."""
    from epochal.spec.language.configurable import option

    def keep(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.meta.setdefault(BOUNDS, {})[field.name] = _whole_number(field, value)

    return click.Option(
        [option(field.name)],
        metavar="N",
        expose_value=False,
        callback=keep,
        help=f"{field.help}; {field.least} to {field.most}, default {default}.",
    )


def _whole_number(field: BoundField, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise field.no_number(text) from None


def options_of(setting: Setting) -> list[str]:
    """The names of the options that set a setting; a switch has one that turns it off, too."""
    from epochal.spec.language.configurable import negation, option

    return [option(setting.name), *([negation(setting.name)] if setting.kind == "switch" else [])]


def setting_option(setting: Setting) -> click.Option:
    """The option that sets a setting. What it says is kept in the context, and checked together with all others."""

    def keep(ctx: click.Context, _: click.Parameter, value: str | bool | None) -> None:
        if value is not None:
            ctx.meta.setdefault(SETTINGS, {})[setting.name] = value

    help = f"{setting.help}; default {setting.default}."
    names = ["/".join(options_of(setting))]
    if setting.kind == "switch":
        return click.Option(names, default=None, expose_value=False, is_eager=True, callback=keep, help=help)
    metavar = "N" if setting.kind == "number" else "|".join(setting.choices) or setting.name.upper()
    return click.Option(names, metavar=metavar, expose_value=False, is_eager=True, callback=keep, help=help)


def chosen_protocol(ctx: click.Context) -> type[Protocol] | None:
    """The protocol of a command as its settings configure it; None if the command has none. The settings come first."""
    from epochal.spec.language.configurable import with_configuration

    loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
    return None if loaded is None else with_configuration(loaded, ctx.meta.get(SETTINGS, {}))
