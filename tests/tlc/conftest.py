"""Where TLC cannot run, its tests are skipped and say why; `make test-tlc` fails instead."""

from __future__ import annotations

import os

import pytest

from .tlc import missing


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests that need TLC, without asking where none of them is collected."""
    asked = [one for one in items if one.get_closest_marker("tlc") is not None]
    why = missing() if asked else ""
    if why and os.environ.get("EPOCHAL_TLC_REQUIRED"):
        pytest.exit(why, returncode=1)
    for one in asked if why else ():
        one.add_marker(pytest.mark.skip(reason=why))
