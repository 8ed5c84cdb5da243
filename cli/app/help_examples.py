"""The examples at the end of every `--help`. The tests run them as they stand."""

from __future__ import annotations

from collections.abc import Iterable

import click


def write_examples(formatter: click.HelpFormatter, examples: Iterable[str]) -> None:
    """Write examples below the options, one a line and never wrapped."""
    listed = list(examples)
    if listed:
        with formatter.section("Examples"):
            for example in listed:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
