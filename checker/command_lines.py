"""How what is asked for is written on a command line: for the advice in reports, which can be copied."""

from __future__ import annotations

from collections.abc import Mapping

from epochal.spec.language.reference import as_options


def bounds_as_options(bounds: Mapping[str, int]) -> str:
    """Bounds by name, as options: `--replicas 3 --max-epoch 2`."""
    return " ".join(as_options(bounds))
