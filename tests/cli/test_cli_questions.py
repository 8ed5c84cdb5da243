"""`--property file.py:function`: a question of one's own, asked of any protocol, and its traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

TINY = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")

ASKED = """
from epochal.language import lemma, reachable


def nobody_writes(self) -> bool:
    \"\"\"No replica has a record.\"\"\"
    return all(len(self.replicas[r].log) == 0 for r in self.replicas)


def logs_never_shrink(self, new) -> bool:
    \"\"\"No log gets shorter.\"\"\"
    return all(len(self.replicas[r].log) <= len(new.replicas[r].log) for r in self.replicas)


@reachable
def everybody_has_it(self) -> bool:
    \"\"\"Every replica has the record.\"\"\"
    return all(len(self.replicas[r].log) == 1 for r in self.replicas)


def strong_isr(self) -> bool:
    return True


shorter = lambda self: True


def three(a, b, c) -> bool:
    return True


@lemma
def a_lemma(self) -> bool:
    return True
"""


@pytest.fixture(autouse=True)
def questions(folder: Path) -> None:
    (folder / "asked.py").write_text(ASKED)


@pytest.mark.parametrize(
    "command", [("check",), ("check", "--engine", "python"), ("bmc", "--length", "4"), ("simulate",)]
)
def test_a_question_is_answered_with_a_run(command: tuple[str, ...], run: Run) -> None:
    result = run(command[0], "kip-320", *TINY, *command[1:], "--property", "asked.py:nobody_writes")
    assert result.exit_code == 12, result.output
    assert result.stdout.startswith("kip-320: nobody_writes violated")
    assert "No replica has a record." in result.stdout


def test_properties_of_steps_and_witnesses_and_own_ones_beside(run: Run) -> None:
    asked = ("asked.py:logs_never_shrink", "asked.py:everybody_has_it", "strong_isr")
    options = [part for name in asked for part in ("--property", name)]
    document = json.loads(
        run("check", "truncate-to-hw", *TINY, *options, "--all-violations", "--format", "json").stdout
    )
    verdicts = {one["id"]: (one["kind"], one["verdict"]) for one in document["properties"]}
    assert verdicts == {
        "logs_never_shrink": ("action_property", "violated"),
        "everybody_has_it": ("reachable", "holds"),
        "strong_isr": ("invariant", "violated"),
    }


def test_the_trace_names_the_question_and_replays_with_it(folder: Path, run: Run) -> None:
    found = run("check", "kip-320", *TINY, "--property", "asked.py:nobody_writes", "--out", "found")
    file = "found/kip-320-nobody-writes.itf.json"
    assert json.loads((folder / file).read_text())["#meta"]["facts"]["question"] == "asked.py:nobody_writes"
    alone = run("replay", file)
    assert alone.exit_code == 2
    assert "the specification has no property 'nobody_writes'" in alone.stderr
    assert "If you trust its file, name it: --property 'asked.py:nobody_writes'" in alone.stderr
    assert run("replay", file, "--property", "asked.py:nobody_writes").exit_code == 0
    assert "  found/kip-320-nobody-writes.html\n" in found.stdout and "  epochal " not in found.stdout


def test_the_next_command_asks_the_same(run: Run) -> None:
    shown = run("check", "kip-320", *TINY, "--property", "asked.py:nobody_writes").stdout
    assert " --property asked.py:nobody_writes --out found  # the run as a page" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            "check kip-320 --property asked.py:nobody_write",
            150,
            "has no function nobody_write\n  Did you mean nobody_writes?",
        ),
        ("check kip-320 --property nowhere.py:f", 150, "there is no file nowhere.py"),
        ("check kip-320 --property asked.py:strong_isr", 150, "has the name of something that kip-320 has already"),
        ("check kip-320 --property asked.py:shorter", 120, "is a lambda, which has no name"),
        ("check kip-320 --property asked.py:three", 120, "asked.py:three takes 3 parameters, and no property does"),
        ("check kip-320 --property asked.py:a_lemma", 120, "asked.py:a_lemma is marked @lemma, which is no property"),
        ("prove kip-320 --property asked.py:nobody_writes", 2, "which check, bmc and simulate take"),
        ("mutate kip-320 --property asked.py:nobody_writes", 2, "which check, bmc and simulate take"),
    ],
)
def test_what_cannot_be_asked(arguments: str, code: int, message: str, run: Run) -> None:
    result = run(*arguments.split())
    assert message in result.stderr
    assert result.exit_code == code


def test_witnesses_are_written_too(counter: Path, folder: Path, run: Run) -> None:
    run("check", "counter.py:Fine", "--out", "found")
    assert (folder / "found" / "fine-full.itf.json").is_file()
    assert run("replay", "found/fine-full.itf.json", "--protocol", "counter.py:Fine").exit_code == 0
