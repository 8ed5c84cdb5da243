"""Protocols in pytest: `epochal.assert_holds`, a marker with bounds, and stored traces as replay tests.

The plugin is there wherever Epochal is installed, and imports nothing of it before a test asks for something. A file
`*.itf.json` that Epochal has written is a test: it must still replay. Those of a specification of your own name it in
the configuration of pytest, `epochal_protocols = mine.py:Variant`: a file runs because you name it, never because a
trace does. `-p no:epochal` leaves all of this out.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from epochal.api.check import CheckResult
    from epochal.sentences import Given
    from epochal.spec.language import Protocol

MARKER = "epochal"
TRACES = ".itf.json"
FIXTURES = ("epochal_result", "epochal_protocol")
RESULT = pytest.StashKey["CheckResult"]()
"""Where a test keeps what its search has found."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings: whose traces may be replayed, and whether any are."""
    parser.addini("epochal_protocols", "specifications of your own that stored traces are of", "linelist", [])
    parser.addini("epochal_replay", "whether *.itf.json of Epochal are collected as replay tests", "bool", True)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers",
        "epochal(protocol, **bounds): the protocol of the fixtures epochal_protocol and epochal_result, a class or a "
        "reference such as 'kip-320' or 'mine.py:Variant', within these bounds; a class without bounds stands in "
        "epochal.with_args(protocol), as pytest would mark the class itself",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test that is marked and takes neither fixture would pass without a search."""
    names = getattr(item, "fixturenames", ())
    if any(mark.name == MARKER for mark in item.own_markers) and not {*FIXTURES, "request"} & set(names):
        pytest.fail(
            f"the marker {MARKER} does nothing for a test that takes none of its fixtures: give it a parameter "
            f"{' or '.join(FIXTURES)}, or call epochal.assert_holds in it",
            pytrace=False,
        )


@pytest.fixture
def epochal_protocol(request: pytest.FixtureRequest) -> Protocol:
    """The protocol of the marker `epochal`, within its bounds. A wrong marker is told without a traceback."""
    from epochal.errors import EpochalError
    from epochal.spec.loading import load

    marker = request.node.get_closest_marker(MARKER)
    if marker is None or len(marker.args) != 1:
        wrong = "has no protocol. Mark it: @pytest.mark.epochal('mine.py:Variant', replicas=3)"
    else:
        (protocol,) = marker.args
        try:
            made: Protocol = load(protocol, **marker.kwargs) if isinstance(protocol, str) else protocol(**marker.kwargs)
            return made
        except EpochalError as error:
            wrong = f"is marked wrongly: {error}"
    pytest.fail(f"{request.node.nodeid} {wrong}", pytrace=False)


@pytest.fixture
def epochal_result(request: pytest.FixtureRequest, epochal_protocol: Protocol) -> CheckResult:
    """What a search of the protocol of the marker `epochal` finds, all violations among it. A failing test tells it."""
    from epochal.api.check import check

    result = check(epochal_protocol, all_violations=True)
    request.node.stash[RESULT] = result
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell what the search of a test has found, if the test fails and does not tell it itself."""
    report = yield
    result = item.stash.get(RESULT, None)
    if report.when == "call" and report.failed and result is not None and call.excinfo is not None:
        run = result.counterexample
        told = str(result) if run is None else f"{result.headline}\n{run}"
        if told not in str(call.excinfo.value):
            report.sections.append(("epochal_result", told))
    return report


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A stored trace is a file of one test."""
    if not file_path.name.endswith(TRACES) or not parent.config.getini("epochal_replay"):
        return None
    return StoredTrace.from_parent(parent, path=file_path) if _is_ours(file_path) else None


def _is_ours(path: Path) -> bool:
    """Whether a file is a trace that Epochal has written; other tools write this format too.

    What nobody can read may be one of ours that was damaged: the test then says how.
    """
    written: list[bool] = []

    def heard(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        written.extend(
            isinstance(meta, dict) and str(meta.get("tool", "")).startswith("epochal")
            for name, meta in pairs
            if name == "#meta"
        )
        return dict(pairs)

    try:
        json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=heard)
    except (OSError, ValueError, RecursionError):
        return True
    return any(written)


class StoredTrace(pytest.File):
    """A file with a trace."""

    def collect(self) -> Iterator[pytest.Item]:
        """The one test: that it replays."""
        yield Replayed.from_parent(self, name="replays")


class Replayed(pytest.Item):
    """A trace that must still replay, in every semantics."""

    def runtest(self) -> None:
        """Replay it. Raises AssertionError with the step that is refused, and by which guard."""
        from epochal.api.replay import replay

        replay(self.path, protocols=self.config.getini("epochal_protocols")).raise_for_violation()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the semantics say, or why the file cannot be read; a traceback only for a bug."""
        from epochal.errors import EpochalError

        if isinstance(excinfo.value, EpochalError):
            return excinfo.value.told(_as_configured)
        if isinstance(excinfo.value, AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """How the test is called."""
        return self.path, None, f"{self.path.name} replays"


def _as_configured(given: Given) -> str:
    """What a message names, as the configuration of pytest has it."""
    from epochal.sentences import GivenProtocols

    return (
        f"epochal_protocols = {given.value}, in pytest's configuration" if type(given) is GivenProtocols else str(given)
    )
