"""The table of docs/liveness.md for people who come from TLA+: each row means what TLC says it means."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.spec.language import Protocol
from tests.benchmarks.tlc_speed import JAR
from tests.spec.liveness.tla_systems import (
    CLIENTS,
    COUNTER,
    DOOR,
    EVERY,
    FORK,
    OPEN,
    SIDES,
    AnyClient,
    Clients,
    Counter,
    Door,
    EitherSide,
    EitherWay,
    Fork,
    Guarded,
    Settling,
    Shutting,
    Sides,
    Strongly,
    StronglyAny,
    Unsettled,
)


@dataclass(frozen=True)
class Row:
    """A formula of TLA+ about a system, and the promise that says it. `fairness` is what the specification assumes."""

    row: str
    module: str
    fairness: str
    formula: str
    protocol: type[Protocol]
    promise: str
    kept: bool


WF, SF, ANY = "WF_vars({})", "SF_vars({})", "\\E i \\in Client : Serve(i)"
EACH = "\\A i \\in Client : "
BOTH = "WF_vars(Lock) /\\ WF_vars(Move)"
SERVED = "\\A i \\in Client : asking[i] ~> ~asking[i]"
TURN = " /\\ WF_vars(Turn)"
ROWS: tuple[Row, ...] = (
    Row("P ~> Q", COUNTER, EVERY, "n = 1 ~> n = 4", Counter, "one_leads_to_four", True),
    Row("P ~> Q", COUNTER, EVERY, "n = 1 ~> n = 3", Counter, "one_leads_to_three", False),
    Row("[]<>P", COUNTER, EVERY, "[]<>(n = 4)", Counter, "four_again_and_again", True),
    Row("[]<>P", COUNTER, EVERY, "[]<>(n = 2)", Counter, "two_again_and_again", False),
    Row("<>P", COUNTER, EVERY, "<>(n = 2)", Counter, "two_some_time", True),
    Row("<>P", COUNTER, EVERY, "<>(n = 3)", Counter, "three_some_time", False),
    Row("P => <>Q", COUNTER, EVERY, "n = 0 => <>(n = 2)", Counter, "zero_then_two", True),
    Row("P => <>Q", COUNTER, EVERY, "n = 0 => <>(n = 3)", Counter, "zero_then_three", False),
    Row("<>[]P", COUNTER, EVERY, "<>[](n >= 4)", Settling, "stays_in_the_end", True),
    Row("<>[]P", COUNTER, EVERY, "<>[](n = 4)", Unsettled, "stays_in_the_end", False),
    Row("\\A i : WF(A(i))", OPEN, EACH + WF.format("Serve(i)"), SERVED, Clients, "is_served", True),
    Row("\\A i : WF(A(i))", CLIENTS, f"({EACH}{WF.format('Serve(i)')}){TURN}", SERVED, Shutting, "is_served", False),
    Row("WF(\\E i : A(i))", OPEN, WF.format(ANY), SERVED, AnyClient, "is_served", False),
    Row("\\A i : SF(A(i))", CLIENTS, f"({EACH}{SF.format('Serve(i)')}){TURN}", SERVED, Strongly, "is_served", True),
    Row("SF(\\E i : A(i))", CLIENTS, SF.format(ANY) + TURN, SERVED, StronglyAny, "is_served", False),
    Row("WF(A) /\\ WF(B)", SIDES, "WF_vars(A) /\\ WF_vars(B)", "~done ~> done", Sides, "is_done", False),
    Row("WF(A \\/ B)", SIDES, "WF_vars(A \\/ B)", "~done ~> done", EitherSide, "is_done", True),
    Row(
        "SF(A) /\\ SF(B)",
        FORK,
        "SF_vars(A) /\\ SF_vars(B) /\\ WF_vars(Back)",
        "n = 0 ~> n = 1",
        Fork,
        "goes_one_way",
        True,
    ),
    Row("SF(A \\/ B)", FORK, "SF_vars(A \\/ B) /\\ WF_vars(Back)", "n = 0 ~> n = 1", EitherWay, "goes_one_way", False),
    Row("ENABLED A", DOOR, BOTH, "ENABLED Lock ~> locked", Door, "is_locked", False),
    Row("ENABLED A", DOOR, BOTH, "~locked ~> ENABLED Lock", Door, "can_be_locked", True),
    Row("ENABLED A", DOOR, "SF_vars(Lock) /\\ WF_vars(Move)", "ENABLED Lock ~> locked", Guarded, "is_locked", True),
)


PAGE = Path(__file__).parents[3] / "docs" / "liveness.md"


def named(row: Row) -> str:
    """A row as tests are called."""
    return f"{row.protocol.__name__}, {row.formula}"


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_epochal_says_what_tlc_said(row: Row, engine: Any) -> None:
    found = epochal.check(row.protocol(), engine=engine, properties=[row.promise]).search.liveness
    assert [one.verdict for one in found.promises] == ["holds" if row.kept else "violated"]


def test_the_page_has_these_rows_and_no_others() -> None:
    section = PAGE.read_text().partition("## From TLA+")[2].partition("\n## ")[0]
    first = [line.split("` | ")[0].removeprefix("| `") for line in section.splitlines() if line.startswith("| `")]
    assert first == list(dict.fromkeys(row.row for row in ROWS))
    assert {row.kept for row in ROWS} == {True, False}


@pytest.mark.skipif(not JAR.exists() or shutil.which("java") is None, reason=f"TLC is not there: {JAR}")
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_tlc_says_so_still(row: Row, tmp_path: Path) -> None:
    module = (
        f"---- MODULE Row ----{row.module}Spec == Init /\\ [][Next]_vars /\\ {row.fairness}\nWanted == {row.formula}\n"
    )
    (tmp_path / "Row.tla").write_text(module + "====\n")
    (tmp_path / "Row.cfg").write_text("SPECIFICATION Spec\nPROPERTY Wanted\nCHECK_DEADLOCK FALSE\n")
    command = ["java", "-XX:+UseParallelGC", "-cp", str(JAR), "tlc2.TLC", "-workers", "1", "-metadir", "states", "Row"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    kept = "Model checking completed. No error has been found." in done.stdout
    assert kept or re.search(r"Temporal properties were violated|Property \w+ is violated", done.stdout), done.stdout
    assert kept == row.kept, done.stdout
