"""Files of settings: server.properties, meta.properties."""

from __future__ import annotations

from collections.abc import Iterable


def properties_in(lines: Iterable[str]) -> dict[str, str]:
    """Settings as a properties file has them."""
    said = (line.split("=", 1) for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, value in said}
