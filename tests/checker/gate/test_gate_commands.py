"""`epochal gate add`, `approve` and `show`, and the former names of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from epochal.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    """Run `epochal` with these arguments."""
    return CliRunner().invoke(main, list(arguments))


ADD = ("async-isr", "--replicas", "2", "--max-offset", "1", "--max-version", "1")


@pytest.mark.parametrize(
    ("add", "approve", "show"),
    [
        (("gate", "add"), ("gate", "approve"), ("gate", "show")),
        (("baseline", "add"), ("baseline", "update"), ("baseline", "show")),
    ],
    ids=["gate", "baseline"],
)
def test_a_model_is_added_approved_and_shown(
    add: tuple[str, ...], approve: tuple[str, ...], show: tuple[str, ...], folder: Path
) -> None:
    added = run(*add, *ADD)
    assert (added.exit_code, added.stdout.splitlines()[0]) == (0, "epochal.toml: added the model async-isr")
    assert run(*show).stdout.splitlines()[1].split()[:2] == ["async-isr", "async-isr"]
    (folder / "epochal.lock.json").unlink()
    assert run("gate").exit_code == 151
    assert run(*approve).exit_code == 0
    assert run("gate").exit_code == 0
    assert run("gate", "async-isr").exit_code == 0


def test_help_and_mistakes_name_the_command() -> None:
    shown = run("gate", "--help").stdout
    assert "Commands:\n  gate add " in shown and "Usage: epochal gate [OPTIONS] [MODEL]..." in shown
    assert "Usage: epochal gate approve [OPTIONS]" in run("gate", "approve", "--help").stdout
    assert "Try 'epochal gate add --help'." in run("gate", "add").output
    assert "Add one: epochal gate add kip-320" in run("gate").output


def test_a_model_that_is_called_like_a_command_stands_after_two_dashes() -> None:
    run("gate", "add", *ADD, "--name", "show")
    assert "  unchanged  show " in run("gate", "--", "show").stdout
    assert "MODEL" in run("gate", "show").stdout.splitlines()[0]
