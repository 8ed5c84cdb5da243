"""`epochal explore`: where it begins, and what it refuses before a browser opens."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from epochal.cli.commands.explore import place_of
from epochal.cli.explorer.walk import read_address
from epochal.exit_codes import ExitCode
from epochal.spec.loading import Subject
from tests.cli.conftest import Run
from tests.cli.test_cli_help import ROOT, set_the_explorer_up

TRACE = str(ROOT / "counterexamples" / "kip-279-strong-isr.itf.json")


@pytest.fixture(autouse=True)
def no_browser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_the_explorer_up(folder, monkeypatch)


def test_it_says_where_it_is(run: Run) -> None:
    shown = run("explore", "kip-320", "--replicas", "2", "--no-browser")
    assert shown.exit_code == 0 and shown.stderr == ""
    assert "exploring at http://127.0.0.1:" in shown.stdout and "/?token=" in shown.stdout
    assert "Ctrl-C ends it" in shown.stdout


def test_a_trace_begins_at_its_end() -> None:
    place = place_of(None, TRACE, (), "kip-320")
    address = read_address(place.path.partition("?")[2])
    assert (address.protocol, address.at, address.about, address.beside) == ("kip-279", 10, "strong_isr", "kip-320")


def test_an_address_that_was_sent() -> None:
    place = place_of(None, "http://127.0.0.1:9999/run?p=kip-279&s=ElectLeader(b1)&at=0", (), None)
    address = read_address(place.path.partition("?")[2])
    assert (address.protocol, address.steps, address.at) == ("kip-279", ("ElectLeader(b1)",), 0)


def test_a_file_of_ones_own(folder: Path) -> None:
    from epochal.spec.loading import load

    place = place_of(Subject("mine.py:MyVariant", load("mine.py:MyVariant", max_epoch=1)), None, (), None)
    assert read_address(place.path.partition("?")[2]).bounds == (("max_epoch", 1),)
    assert list(place.shelf.named) == ["mine.py:MyVariant"]


def test_nothing_in_particular(run: Run) -> None:
    assert place_of(None, None, (), None).path == "/"
    assert run("explore", "--no-browser").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("kpi-320",), "Did you mean kip-320?"),
        (("nowhere.json",), "there is no trace nowhere.json"),
        (("kip-320", "--replicas", "99"), "--replicas"),
        (("kip-320", "--beside", "nothing"), "no protocol is named 'nothing'"),
        (("http://127.0.0.1:1/run?p=mine.py:MyVariant",), "no file runs because an address names it"),
        (("http://127.0.0.1:1/run?p=kip-279&at=x",), "at is 'x' in the address"),
        (("kip-320", "--port", "99999"), "--port"),
    ],
)
def test_what_cannot_be_explored(run: Run, words: tuple[str, ...], said: str) -> None:
    shown = run("explore", *words, "--no-browser")
    assert shown.exit_code in (ExitCode.USAGE, ExitCode.NOT_LOADED) and said in shown.stderr
    assert shown.stdout == ""


def test_a_trace_that_is_none(run: Run, folder: Path) -> None:
    (folder / "broken.json").write_text("{", encoding="utf-8")
    shown = run("explore", "broken.json")
    assert shown.exit_code != 0 and "broken.json" in shown.stderr and "Traceback" not in shown.stderr


def test_a_port_in_use(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        shown = run("explore", "kip-320", "--port", port, "--no-browser")
    assert shown.exit_code == 2 and f"port {port} is in use" in shown.stderr and "--port" in shown.stderr


def test_without_a_browser_it_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    shown = run("explore", "kip-320")
    assert shown.exit_code == 0 and "no browser was found: open that address yourself" in shown.stdout


def test_without_what_it_needs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "epochal.cli.explorer.server", raising=False)
    shown = run("explore", "kip-320")
    assert shown.exit_code == ExitCode.ENGINE_FAILURE
    assert "pip install 'epochal[explore]'" in shown.stderr
