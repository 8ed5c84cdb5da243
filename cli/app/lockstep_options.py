"""The options that commands of `epochal lockstep` have in common: above all which Kafka runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def pairs(option: str, said: Iterable[str]) -> dict[str, str]:
    """What a repeated option says, by its names. Raises BadParameter for what is no NAME=VALUE."""
    found: dict[str, str] = {}
    for one in said:
        name, separator, value = one.partition("=")
        if not (name and separator and value):
            raise click.BadParameter(f"{one!r} is not NAME=VALUE", param_hint=f"--{option}")
        found[name.replace("-", "_")] = value
    return found


def which_kafka(command: Command) -> Command:
    """--kafka, --classpath and --classes, as the keywords `kafka`, `classpath` and `classes`."""
    for added in (
        click.option(
            "--classes",
            multiple=True,
            metavar="DIR",
            type=click.Path(path_type=Path),
            help="Put this folder of classes before either. May be repeated.",
        ),
        click.option(
            "--classpath",
            metavar="PATH",
            help="Run the Kafka on this class path: jars and folders of any build; 'DIR/*' are all jars in a folder.",
        ),
        click.option("--kafka", metavar="VERSION", help="Run this release, whose jars are pinned."),
    ):
        command = added(command)
    return command
