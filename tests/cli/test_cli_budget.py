"""`--budget` means one thing: the whole command, however many searches it makes."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from epochal.api import conform as door_conform
from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.mutation.result import Judge, Original
from epochal.checker.search import native as breadth_first
from epochal.checker.search.native import NativeSearch
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.solver import prove as solver_prove
from epochal.checker.solver.unrolling import Unrolling
from epochal.checker.unbounded import proof as unbounded_proof
from epochal.cli.app.command import CommandWithOthers
from epochal.cli.main import COMMANDS, main
from epochal.kafka.validation.run import judged_runs
from epochal.spec.registry import registered
from epochal.sweeps.sweep import Answers
from tests.cli.conftest import Run

ALONE = ("--workers", "1")
TINY = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


@pytest.mark.parametrize(
    "arguments",
    [
        ("mutate", "kip-320", *TINY, "--only", "become_follower"),
        ("catalogue", "S3", "S4"),
        ("guarantees", "--replication-factor", "1", "--acks", "1", "--fault", "none", "--fault", "clean", *ALONE),
        ("compare", "kip-279", "kip-320", *TINY),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_search_of_a_command_counts_from_its_beginning(
    arguments: tuple[str, ...], run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Options] = []
    honest = NativeSearch.__init__

    def search(self: NativeSearch, native: Any, kernel: Any, options: Options, *rest: Any, **named: Any) -> None:
        asked.append(options)
        honest(self, native, kernel, options, *rest, **named)

    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(NativeSearch, "__init__", search)
    before = time.monotonic()
    run(*arguments, "--budget", "100s")
    after = time.monotonic()
    assert len(asked) >= 2
    assert {options.budget for options in asked} == {100.0}
    (begun,) = {options.begun for options in asked}
    assert begun is not None and before <= begun <= after


def test_mutants_are_not_searched_when_the_budget_is_spent() -> None:
    protocol = registered("kip-320")(replicas=2, log_size=1, records=1, max_epoch=1)
    original = breadth_first.check(protocol, Options(all_violations=True))

    def search(*_: object) -> CheckResult:
        raise AssertionError("nothing is to be searched")

    judge = Judge(Original.of(original), search, Options(budget=1.0, begun=time.monotonic() - 2))
    outcomes = list(judge.outcomes(mutants_of(protocol)[:3]))
    assert [(one.verdict, one.message) for one in outcomes] == [("open", "the time budget of 1 s is spent")] * 3


ENDS_SOON = {
    "list": "reads what the registry has",
    "new": "writes a file",
    "show": "looks at one protocol and searches nothing",
    "explore": "is a server, which runs until it is ended; each search that it starts has --budget",
    "cache show": "lists a folder",
    "gate show": "prints what a lock file says",
    "baseline show": "prints what a lock file says",
    "cache clear": "empties a folder",
    "cache java": "starts Spark twice: about a minute, whatever is asked",
    "graph": "refuses more than 2,000 states",
    "export": "is linear in the states of a search that has ended, and half of its tables would answer nothing",
    "replay": "takes the steps of a stored run, and no others",
    "trace show": "tells a stored run",
    "trace export": "draws a stored run",
    "explain": "looks up a word",
    "schema": "prints a file",
    "doctor": "looks at this machine: some seconds",
    "counterexamples": "writes the whole gallery of this repository or nothing: some minutes, for maintainers",
}
"""The commands without --budget, and why they need none."""


def every_command() -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for lazy in COMMANDS:
        command = main.get_command(click.Context(main), lazy.name)
        assert command is not None
        inner = command.commands if isinstance(command, click.Group | CommandWithOthers) else {}
        found |= {f"{lazy.name} {name}": one for name, one in inner.items()}
        if not isinstance(command, click.Group):
            found[lazy.name] = command
    return found


def test_every_command_has_a_budget_or_ends_soon() -> None:
    commands = every_command()
    with_budget = {name for name, one in commands.items() if any(param.name == "budget" for param in one.params)}
    assert with_budget | set(ENDS_SOON) == set(commands)
    assert with_budget.isdisjoint(ENDS_SOON)
    for name in with_budget:
        (option,) = [param for param in commands[name].params if param.name == "budget"]
        assert isinstance(option, click.Option) and "The time covers the whole command" in str(option.help)


EVIDENCE = Path(__file__).parents[1] / "evidence" / "leader-change-4.3.1.tar.xz"
SPENT = "the time budget of {} is spent while {}"


def test_a_proof_that_takes_too_long_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver_prove, "proof", lambda *_, **__: time.sleep(3600))
    for more, advice in (
        ((), "Z3 does not run again for what it has answered."),
        (("--no-cache",), "Raise the limit.\n"),
    ):
        result = run("prove", "kip-320", "--budget", "0.5s", *more)
        assert result.exit_code == 30, result.output
        assert f"{SPENT.format('0.5 s', 'proving')}; nothing is proved." in result.stderr
        assert advice in result.stderr


def test_an_unbounded_proof_that_takes_too_long_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unbounded_proof, "unbounded_proof", lambda *_, **__: time.sleep(3600))
    result = run("prove", "kip-320", "--unbounded", "--budget", "0.5s")
    assert result.exit_code == 30, result.output
    assert f"{SPENT.format('0.5 s', 'proving')}; nothing is proved." in result.stderr


def test_a_bounded_search_says_how_far_it_came(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Unrolling.extend

    def extend(self: Unrolling) -> None:
        honest(self)
        if self.length == 2:
            time.sleep(3600)

    monkeypatch.setattr(Unrolling, "extend", extend)
    result = run("bmc", "kip-320", *TINY, "--length", "5", "--budget", "3s", "--format", "json")
    assert result.exit_code == 30, result.output
    found = json.loads(result.stdout)
    assert found["reason"] == SPENT.format("3 s", "asking Z3 about runs of 2 steps")
    assert {one["verdict"] for one in found["properties"]} == {"unknown"}


def test_random_runs_say_how_many_they_were(run: Run) -> None:
    result = run("simulate", "kip-320", "--runs", "100000000", "--budget", "2s", "--format", "json")
    assert result.exit_code == 30, result.output
    found = json.loads(result.stdout)
    assert found["cut"] == SPENT.format("2 s", "taking random runs") and 0 < found["runs"] < 100_000_000


def test_a_sweep_keeps_what_is_answered(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "sweep.toml").write_text(
        '[[task]]\ncheck = "kip-320"\nbounds = { replicas = [2, 3] }\n', encoding="utf-8"
    )

    def keep(self: Answers, *answer: Any) -> None:
        honest(self, *answer)
        time.sleep(3600)

    honest = Answers.keep
    with monkeypatch.context() as patched:
        patched.setattr(Answers, "keep", keep)
        result = run("sweep", "sweep.toml", "--out", "swept", "--budget", "5s", "--workers", "1")
    assert result.exit_code == 30, result.output
    assert f"Not all tasks were run: {SPENT.format('5 s', 'answering tasks')}." in result.stdout
    result = run("sweep", "sweep.toml", "--out", "swept", "--workers", "1")
    assert result.exit_code == 0 and "all 2 tasks answered, 1 of them now" in result.stdout


@pytest.mark.parametrize(
    ("module", "name", "doing", "says"),
    [
        (door_conform, "judge_brokers", "checking the controller and the brokers", "; nothing was checked."),
        (judged_runs, "run_of", "looking for a run of each partition", "not checked: 2 partitions: "),
        (door_conform, "as_trace", "checking the properties in the runs", "the run is no trace, and its"),
    ],
)
def test_evidence_is_judged_as_far_as_time_allows(
    module: ModuleType, name: str, doing: str, says: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, lambda *_, **__: time.sleep(3600))
    result = run("conform", str(EVIDENCE), "--budget", "4s")
    assert result.exit_code == 30, result.output
    assert SPENT.format("4 s", doing) in result.output and says in result.output
