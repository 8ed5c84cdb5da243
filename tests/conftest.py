"""What all tests share: a cache folder for each run, so that no test is answered from another run's results."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import chromium, visit

__all__ = ["chromium", "visit"]
"""One browser for all tests."""

settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("busy")
"""How long examples take to make says more of the machine than of a test."""

gc.set_threshold(5_000, 10, 20)
"""A process with all tests has very many objects, and the collector goes through them all less often."""


def named_in(name: str) -> frozenset[str]:
    """The tests that a list beside this file names."""
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


LONG, SLOW = named_in("long_tests.txt"), named_in("slow_tests.txt")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark the tests of the lists, and let each group of tests run in one process.

    Those of `long_tests.txt` are long. Functions of `slow_tests.txt` are slow, in each of their cases: `make test-fast`
    leaves them out.

    pytest-xdist 3.8 writes the group of a test behind its name, and the scheduler reads it there. It writes to an
    attribute that pytest 9.2 no longer reads, so that groups would be torn apart without a word. Whoever runs such a
    test again leaves out what stands behind the @.
    """
    for item in items:
        if item.nodeid in LONG:
            item.add_marker(pytest.mark.long)
        if function_of(item.nodeid) in SLOW:
            item.add_marker(pytest.mark.slow)
    yield
    if getattr(config.option, "loadgroup", False):  # only in the processes that xdist starts
        for item in items:
            if groups := sorted({group_of(mark) for mark in item.iter_markers("xdist_group")}):
                together(item, f"@{'_'.join(groups)}")


def function_of(nodeid: str) -> str:
    """The function of a test: its name without its case and its group."""
    path, _, test = nodeid.partition("::")
    return f"{path}::{test.partition('[')[0].partition('@')[0]}"


def group_of(mark: pytest.Mark) -> str:
    """The name of a group, as pytest-xdist reads it."""
    return str(mark.args[0] if mark.args else mark.kwargs.get("name", "default"))


def together(item: pytest.Item, suffix: str) -> None:
    """Let the name of a test end with its group."""
    if not item.nodeid.endswith(suffix):
        item._id = type(item._id).parse(item.nodeid + suffix)
    assert item.nodeid.endswith(suffix), "the group of a test is lost"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache folder of this test run, which its processes share: machine code is made once for all of them."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "cache"
    folder.mkdir(mode=0o700, exist_ok=True)
    before = os.environ.get("EPOCHAL_CACHE_DIR")
    os.environ["EPOCHAL_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["EPOCHAL_CACHE_DIR"]
    else:
        os.environ["EPOCHAL_CACHE_DIR"] = before


@pytest.fixture
def heeding_interrupts() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, also where the suite runs in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
