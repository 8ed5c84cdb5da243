"""The words of a protocol's configuration as options of a command, such as `--kafka 3.5`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from epochal.spec.language import Protocol, Word

PROTOCOL = "epochal.protocol"
"""Where a command's context keeps the protocol it has loaded, with the words of its reference."""

WORDS = "epochal.words"
"""Where it keeps what the options for words have said."""


QUESTIONS = "epochal.questions"
"""Where it keeps the functions that are asked of the protocol besides its properties, by reference."""


def word_option(word: Word) -> click.Option:
    """The option that says a word. What it says is kept in the context, and checked together with all others."""

    def keep(ctx: click.Context, _: click.Parameter, value: str | bool | None) -> None:
        if value is not None:
            ctx.meta.setdefault(WORDS, {})[word.name] = value

    help = f"{word.help}; default {word.default}."
    if word.kind == "switch":
        return click.Option(
            [f"{word.option}/{word.negation}"],
            default=None,
            expose_value=False,
            is_eager=True,
            callback=keep,
            help=help,
        )
    metavar = "N" if word.kind == "number" else "|".join(word.choices) or word.name.upper()
    return click.Option([word.option], metavar=metavar, expose_value=False, is_eager=True, callback=keep, help=help)


def chosen_protocol(ctx: click.Context) -> type[Protocol] | None:
    """The protocol of a command as its words configure it; None if the command has none. The words come first."""
    from epochal.spec.loading import configured

    loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
    return None if loaded is None else configured(loaded, ctx.meta.get(WORDS, {}))
