"""`--budget` means one thing: the whole command, however many searches it makes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
import pytest

from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.mutation.outcomes import Judge, Original
from epochal.checker.search import breadth_first
from epochal.checker.search.native_search import NativeSearch
from epochal.checker.search.result import CheckResult, Options
from epochal.cli.main import COMMANDS, main
from epochal.spec.registry import registered
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


def test_the_help_says_so() -> None:
    for lazy in COMMANDS:
        command = main.get_command(click.Context(main), lazy.name)
        for param in getattr(command, "params", ()):
            if param.name == "budget":
                assert "It is for the whole command" in param.help
