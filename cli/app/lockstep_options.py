"""The options of every command of `epochal lockstep`: which Kafka runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


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
