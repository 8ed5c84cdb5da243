"""`epochal gate add`, `approve` and `show`, and the former names of them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from epochal.cli.main import main
from tests.zoo.rows import source


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


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ('[tool]\nepochal = {budget = "5s"}\n', (), "with the model pyproject.toml could not be read any more"),
        ("[tool.epochal]\n", ("--name", "x\ny"), "has line ends or control characters"),
    ],
    ids=["braces", "line-end"],
)
def test_a_file_that_no_command_could_read_is_not_written(
    text: str, arguments: tuple[str, ...], message: str, folder: Path
) -> None:
    (folder / "pyproject.toml").write_text(text)
    added = run("gate", "add", *ADD, *arguments)
    assert added.exit_code == 151 and message in added.stderr and "Nothing was changed" in added.stderr
    assert (folder / "pyproject.toml").read_text() == text
    assert [path.name for path in folder.iterdir()] == ["pyproject.toml"]


def test_models_that_are_added_at_the_same_time_are_all_recorded(folder: Path) -> None:
    names = ("one", "two", "three")
    command = [sys.executable, "-m", "epochal", "gate", "add", *ADD, "--name"]
    running = [subprocess.Popen([*command, name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for name in names]
    assert [one.communicate()[1] and one.returncode for one in running] == [0, 0, 0]
    assert set(tomllib.loads((folder / "epochal.toml").read_text())["model"]) == set(names)
    assert run("gate").exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["epochal.lock.json", "epochal.toml"]


CONSTANT = source(
    """
    Constant:
        value: Annotated[int, Integers(0, 1)]
        action turn
            self.value = 1 - self.value
        invariant says_nothing
            return True
    """
)


def test_a_property_that_says_nothing_is_not_to_be_declared_as_an_action(folder: Path) -> None:
    (folder / "mine.py").write_text(CONSTANT)
    added = run("gate", "add", "mine.py:Constant")
    assert added.exit_code == 22 and "says_nothing" in added.stderr
    assert "expect-never" not in added.stderr and "Correct what the message names" in added.stderr


LAMP = source(
    """
    Lamp:
        on: bool
        action press
            require(not self.on)
            self.on = True
        action wait
            self.on = self.on
        invariant dark
            return not self.on
        reachable at_first
            return not self.on
    """
)


def test_a_known_bug_that_is_corrected_is_advised_on(folder: Path) -> None:
    """Declared, corrected, and then: what the gate says to do leads to a gate that passes."""
    (folder / "mine.py").write_text(LAMP)
    assert run("gate", "add", "mine.py:Lamp", "--expect-violated", "dark").exit_code == 0
    corrected = LAMP.replace("not self.on)\n        self.on = True", "not self.on)\n        self.on = False")
    (folder / "mine.py").write_text(corrected)
    advice = "If the bug is corrected, take dark out of expect-violated; if not, these bounds are too small to show it"
    found = run("gate")
    assert (found.exit_code, found.stdout.count(advice)) == (20, 1)
    assert "First the rest of what fails, or no approval can be recorded. Then:" in found.stdout
    refused = run("gate", "approve", "--reason", "corrected")
    assert refused.exit_code == 21 and advice in refused.stderr and "expect-never" not in refused.stderr
    settings = (folder / "epochal.toml").read_text()
    (folder / "epochal.toml").write_text(settings.replace('expect-violated = ["dark"]', ""))
    assert run("gate", "approve", "--reason", "corrected").exit_code == 0
    assert run("gate").exit_code == 0
