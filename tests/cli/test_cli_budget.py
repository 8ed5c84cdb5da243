"""`--budget` means one thing: the whole command, however many searches it makes."""

from __future__ import annotations

import io
import json
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from epochal.api import conform as door_conform
from epochal.api import prove, proved
from epochal.checker.mutation.mutants import mutants_of
from epochal.checker.mutation.result import Judge, Original
from epochal.checker.search import native as breadth_first
from epochal.checker.search.native import NativeSearch
from epochal.checker.search.result import CheckResult, Options, Progress
from epochal.checker.solver.bounded import Unrolling
from epochal.cli.app.command import CommandWithOthers
from epochal.cli.main import COMMANDS, main
from epochal.kafka.validation.run import judged_runs
from epochal.report.progress import (
    SEARCH,
    SIMULATION,
    Counted,
    Estimate,
    LiveProgress,
    PlainProgress,
    Queued,
    Telling,
    about,
    shown_progress,
)
from epochal.spec.registry import registered
from epochal.sweeps.sweep import Answers
from tests.cli.conftest import Run
from tests.cli.forked import Forked

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
    "lockstep run": "takes the steps of one run on Kafka's classes, in each order of the replicas",
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
    "export-tla": "reads the rules of one protocol, and searches nothing",
    "policy": "looks up answers that are decided, and searches nothing",
    "export": "is linear in the states of a search that has ended, and half of its tables would answer nothing",
    "replay": "takes the steps of a stored run, and no others",
    "trace show": "tells a stored run",
    "trace export": "draws a stored run",
    "explain": "looks up a word",
    "schema": "prints a file",
    "mcp": "serves until its client leaves; a call has --time",
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
    monkeypatch.setattr(prove, "proof", lambda *_, **__: time.sleep(3600))
    for more, advice in (
        ((), "Z3 does not run again for what it has answered."),
        (("--no-cache",), "Raise the limit.\n"),
    ):
        result = run("prove", "kip-320", "--budget", "0.5s", *more)
        assert result.exit_code == 30, result.output
        assert f"{SPENT.format('0.5 s', 'proving')}; nothing is proved." in result.stderr
        assert advice in result.stderr


def test_an_unbounded_proof_that_takes_too_long_is_none(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proved, "unbounded_proof", lambda *_, **__: time.sleep(3600))
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


# Code of the user that never ends: --budget and Ctrl-C end it, wherever it is, and the progress says what is run.

HEAD = "from typing import Annotated\nfrom epochal.language import *\nimport time\n"
SPEC = "class Mine(Protocol):\n    x: Annotated[int, Integers(0, 9)]\n"
RULES = (
    "    @action\n    def grow(self):\n        require(self.x < 9)\n        self.x += 1\n"
    "    @invariant\n    def small(self): return self.x < 20 - self.x\n"
)
SLOWLY = "        for _ in range(99_000):\n            self.x = (self.x + 1) % 10 if self.x > _ % 7 else self.x\n"
"""A rule's body that ends, but takes minutes to read: one that does not end is refused."""

FOR_EVER = {
    "import": HEAD + "while True: pass\n" + SPEC + RULES,
    "sleep": HEAD + "time.sleep(10 ** 6)\n" + SPEC + RULES,
    "init": HEAD + SPEC + "    def __init__(self, bounds):\n        while True: pass\n" + RULES,
    "initial": HEAD
    + SPEC
    + "    def initial(self, n: Annotated[int, Integers(0, 250)]):\n        self.x = n % 10\n"
    + SLOWLY
    + RULES,
    "choices": HEAD + SPEC + "    def initial(self, n: Annotated[int, Integers(1, 10**7)]): pass\n" + RULES,
    "condition": HEAD
    + "def wait(self):\n    while True: pass\n"
    + SPEC
    + RULES
    + "    @reachable(only_if=wait)\n    def end(self): return self.x == 9\n",
    "loop": HEAD + SPEC + "    @action\n    def spin(self):\n" + SLOWLY + RULES,
}
LINES = {"import": 4, "sleep": 4, "init": 7}
PATIENT: dict[str, tuple[str, ...]] = {
    "native": ("check",),
    "python": ("check", "--engine", "python"),
    "bmc": ("bmc", "--length", "1"),
    "simulate": ("simulate",),
    "prove": ("prove",),
    "show": ("show",),
}

Start = Callable[..., Forked]


@pytest.fixture
def start(folder: Path) -> Start:
    """Start `epochal` in a process of its own."""
    return lambda *arguments: Forked(folder, arguments)


def written(folder: Path, text: str) -> None:
    """The specification, which makes a file when it is loaded."""
    mark = f"open({str(folder / 'loaded')!r}, 'w').close()\n"
    (folder / "mine.py").write_text(text.replace(HEAD, HEAD.rstrip() + "; " + mark), encoding="utf-8")


@pytest.mark.parametrize(
    ("case", "engine"),
    [(case, engine) for case in FOR_EVER for engine in ("native", "python") if engine == "native" or case not in LINES],
)
def test_the_budget_ends_it(case: str, engine: str, folder: Path, start: Start) -> None:
    written(folder, FOR_EVER[case])
    out, err = start("check", "mine.py:Mine", *PATIENT[engine][1:], "--budget", "1s").communicate(timeout=120)
    assert "the time budget of 1 s is spent while " in out + err
    assert "Traceback" not in err
    if case in LINES:
        assert err.lstrip().startswith("epochal: the time budget of 1 s is spent while ")
        assert f"; nothing was explored.\n  mine.py:{LINES[case]} was being run: does it end?\n" in err
    else:
        assert "; nothing was explored\n" in out.splitlines(keepends=True)[0]
        assert "never possible" not in out


@pytest.mark.parametrize(
    ("case", "command"),
    [
        (case, command)
        for case in ("import", "init", "initial", "condition")
        for command in PATIENT
        if (case, command) not in {("initial", "show"), ("condition", "prove")}  # which do not ask that
    ],
)
def test_ctrl_c_ends_it(case: str, command: str, folder: Path, start: Start) -> None:
    text = FOR_EVER[case] + "    @lemma\n    def fine(self): return self.x < 10\n"
    written(
        folder,
        text.replace(
            "while True: pass",
            f"open({str(folder / 'begun')!r}, 'w').close()\n"
            + {"import": "", "init": " " * 8, "initial": "", "condition": " " * 4}[case]
            + "while True: pass",
        ),
    )
    process = start(PATIENT[command][0], "mine.py:Mine", *PATIENT[command][1:])
    while not (folder / ("loaded" if case == "initial" else "begun")).exists() and process.poll() is None:
        time.sleep(0.01)
    if case == "initial":  # is a rule, and a rule leaves no file: it is read soon after the file is loaded
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert (
        err.splitlines()[-1] == "epochal: interrupted" and "Traceback" not in err and (out == "" or command == "show")
    )


SWALLOWING = (
    "while True:\n    try:\n        open({begun!r}, 'w').close()\n        while True: pass\n"
    "    except BaseException: pass\n"
)


def test_ctrl_c_twice_ends_what_handles_everything(folder: Path, start: Start) -> None:
    begun = folder / "begun"
    (folder / "mine.py").write_text(SWALLOWING.format(begun=str(begun)), encoding="utf-8")
    process = start("check", "mine.py:Mine")
    for _ in range(2):
        while not begun.exists() and process.poll() is None:
            time.sleep(0.01)
        begun.unlink(missing_ok=True)
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err == "epochal: interrupted\n"


def test_the_budget_ends_what_handles_everything(folder: Path, start: Start) -> None:
    (folder / "mine.py").write_text(SWALLOWING.format(begun=str(folder / "begun")), encoding="utf-8")
    process = start("check", "mine.py:Mine", "--budget", "1s")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 30
    assert err == (
        "epochal: the time budget of 1 s is spent while loading mine.py:Mine, and what is being run takes no notice\n"
    )


@pytest.mark.parametrize("kind", ["plain", "json", "none"])
def test_the_progress_says_what_is_being_done(kind: str, folder: Path, start: Start) -> None:
    written(folder, FOR_EVER["loop"])
    _, err = start("check", "mine.py:Mine", "--budget", "4s", "--progress", kind).communicate(timeout=60)
    lines = err.splitlines()
    if kind == "none":
        assert lines == []
    elif kind == "plain":
        assert lines and all(line.startswith("compiling Spin(), 1 of 2 instances of actions, ") for line in lines)
    else:
        found = [json.loads(line) for line in lines]
        assert found and {one["doing"] for one in found} == {"compiling Spin(), 1 of 2 instances of actions"}
        assert all(one.keys() == {"doing", "seconds", "memory_bytes"} and one["seconds"] >= 2 for one in found)


def test_the_budget_of_the_environment_and_of_the_file_count_from_the_start(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(FOR_EVER["sleep"], encoding="utf-8")
    assert run("check", "mine.py:Mine", env={"EPOCHAL_BUDGET": "1s"}).exit_code == 30
    (folder / "epochal.toml").write_text('budget = "1s"\n', encoding="utf-8")
    result = run("check", "mine.py:Mine")
    assert result.exit_code == 30 and "the time budget of 1 s is spent while loading mine.py:Mine" in result.stderr


def test_memory_is_watched_while_a_file_is_loaded(folder: Path, start: Start) -> None:
    (folder / "mine.py").write_text("kept = []\nwhile True: kept.append(bytearray(1 << 20))\n", encoding="utf-8")
    process = start("check", "mine.py:Mine", "--max-memory", "300M")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 30
    assert err.lstrip().startswith(
        "epochal: the memory budget of 300 MiB is spent while loading mine.py:Mine; nothing was expl"
    )


def test_two_protocols_of_one_file_share_its_types(folder: Path, run: Run) -> None:
    (folder / "two.py").write_text(
        "from dataclasses import dataclass\n" + HEAD + "@dataclass(frozen=True)\nclass B(Bounds):\n"
        "    most: int = bound(3, help='most')\n\n"
        + SPEC.replace(":\n", ":\n    bounds: B\n", 1)
        + RULES
        + "class Other(Mine):\n    def grow(self):\n        require(self.x < 5)\n        self.x += 1\n",
        encoding="utf-8",
    )
    result = run("compare", "two.py:Mine", "two.py:Other")
    assert result.exit_code == 0, result.output
    assert "grow" in result.stdout


# `--resume last`: the checkpoint that this user's search wrote last, and no other that was put in its place.

BUDGET = ("check", "kip-279-proof", "--max-epoch", "1", "--max-states", "1000")
AGAIN = ("check", "kip-279-proof", "--max-epoch", "1", "--resume", "last")


@pytest.fixture
def stopped(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of a search that a budget has stopped."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    missing = run(*AGAIN)
    assert missing.exit_code == 2
    assert missing.stderr.startswith("epochal: there is no last checkpoint.\n  A search writes one with --checkpoint")
    assert run(*BUDGET).exit_code == 30
    return tmp_path / "cache"


def test_the_last_checkpoint_is_gone_on_from(run: Any, stopped: Path) -> None:
    result = run(*AGAIN, "--format", "json")
    assert result.exit_code == 12
    assert result.stderr == ""
    assert (stopped / "key").stat().st_mode & 0o777 == 0o600


def test_every_flipped_bit_of_the_note_is_a_miss(run: Any, stopped: Path) -> None:
    """Which says where the last checkpoint is."""
    note = stopped / "checkpoints" / "last.json"
    whole = note.read_bytes()
    for at in range(0, len(whole), 7):
        note.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        result = run(*AGAIN)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "epochal: there is no last checkpoint.\n" in result.stderr


def test_a_checkpoint_that_has_changed_is_not_the_last_one(run: Any, stopped: Path) -> None:
    (manifest,) = (stopped / "checkpoints").glob("*/manifest.json")
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["states"] += 1
    manifest.write_text(json.dumps(document), encoding="utf-8")
    result = run(*AGAIN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"epochal: the checkpoint in {manifest.parent} is not the one that was written last: it has changed since.\n"
        f"  If you trust it: --resume {manifest.parent}. Else start again without --resume.\n"
    )


def test_a_checkpoint_of_ones_own_may_have_gone_on(run: Any, stopped: Path, tmp_path: Path) -> None:
    """A run that was killed since has written it again."""
    own = str(tmp_path / "own")
    assert run(*BUDGET, "--checkpoint", own).exit_code == 30
    manifest = tmp_path / "own" / "manifest.json"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(re.sub(r"\n$", " \n", text), encoding="utf-8")
    assert run(*AGAIN).exit_code == 12


# Progress goes to stderr and leaves the result on stdout as it is.

PYTHON = ("--engine", "python")


def at(seconds: float, states: int = 2744) -> Progress:
    return Progress(states, 9000, 7, 12, seconds, 3 << 20)


def test_json_progress_is_one_object_a_line(run: Run) -> None:
    quiet = run("check", "kip-320", "--max-states", "300", *PYTHON, "--progress", "none")
    result = run("check", "kip-320", "--max-states", "300", *PYTHON, "--progress", "json")
    assert quiet.stderr == ""
    lines = [json.loads(line) for line in result.stderr.splitlines()]
    assert lines
    assert all(
        line.keys() == {"states", "generated", "depth", "queue", "rate", "seconds", "memory_bytes"} for line in lines
    )
    assert "inconclusive" in result.stdout


def test_plain_progress_is_silent_when_the_search_is_short(run: Run) -> None:
    assert run("check", "async-isr", "--replicas", "1", *PYTHON, "--progress", "plain").stderr == ""


def test_plain_progress_has_a_line_every_two_seconds_at_most() -> None:
    stream = io.StringIO()
    progress = PlainProgress(stream)
    for tenth in range(62):
        progress(at(tenth / 10))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0] == "2,744 states, 1,400 a second on the clock, depth 7, queue 12, 3.0 MiB, 2.00 s"


def test_automatic_progress_is_plain_where_there_is_no_terminal() -> None:
    with shown_progress("auto", io.StringIO()) as report:
        assert isinstance(report, PlainProgress)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_live_progress_shows_one_line_and_removes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    with shown_progress("auto", stream) as report:
        assert report is not None
        report(at(0.1, states=1))
        assert stream.getvalue() == ""
        report(at(1.0))
        assert "2,744 states" in stream.getvalue()
    assert "1 state," not in stream.getvalue()
    assert stream.getvalue().endswith("\x1b[2K")


# What is said of the time that is left: nothing as long as nobody can know, and then rather too much.


@dataclass(frozen=True)
class Moment:
    seconds: float


def estimates(telling: Telling[Progress], snapshots: list[Progress]) -> list[float | None]:
    estimate = Estimate()
    return [estimate.left(now, telling.far(now)) for now in snapshots]


def levels(sizes: list[int]) -> list[Progress]:
    """A search that explores 1,000 states a second, half a second a snapshot."""
    explored, found, made = 0, sizes[0], []
    for now, after in pairwise([*sizes, 0]):
        for half in range(2):
            explored += now // 2
            found += after // 2
            made.append(Progress(found, found, half, found - explored, explored / 1000, 1))
    return made


def test_nothing_is_said_of_a_search_that_grows() -> None:
    assert estimates(SEARCH, levels([1000 * 2**n for n in range(6)]))[:10] == [None] * 10


def test_a_search_that_shrinks_ends_at_that_rate() -> None:
    """Each level is half the one before, so that as much is left as the last level had."""
    sizes = [1000, 4000, 16000, 8000, 4000, 2000, 1000]
    snapshots = levels(sizes)
    total = sum(sizes) / 1000
    found = estimates(SEARCH, snapshots)
    said = [(now, left) for now, left in zip(snapshots, found, strict=True) if left is not None]
    assert said and min(now.seconds for now, _ in said) > 5  # not before it shrinks
    for now, left in said:
        assert left >= 0.9 * (total - now.seconds), now
    assert any(left < 1.3 * (total - now.seconds) for now, left in said)


def test_runs_take_as_long_as_runs_before() -> None:
    runs = [Progress(9, 9, done, 100 - done, 0.2 * done, 1) for done in range(101)]
    found = estimates(SIMULATION, runs)
    assert found[:10] == [None] * 10  # less than a tenth is done
    assert found[50] == pytest.approx(10) and found[100] is None


def test_what_was_known_from_before_is_not_counted() -> None:
    """Answers from a cache come at once, and say nothing of the others."""
    estimate = Estimate()
    assert estimate.left(Moment(1.0), Counted(90, 200)) is None
    assert estimate.left(Moment(2.0), Counted(94, 200)) is None
    assert estimate.left(Moment(21.0), Counted(110, 200)) == pytest.approx(90)


def test_another_search_begins_anew() -> None:
    estimate = Estimate()
    for second in range(1, 9):
        estimate.left(Moment(second), Queued(1000 * second, 9000 - 1000 * second))
    assert estimate.left(Moment(9), Queued(9000, 10)) is not None
    assert estimate.left(Moment(0.1), Queued(9100, 5)) is None
    assert estimate.left(Moment(2), None) is None


def test_it_is_said_no_more_exactly_than_it_is_known() -> None:
    assert [about(s) for s in (0, 4, 5, 17, 54, 55, 61, 3000, 7000)] == [
        *("a few seconds left", "a few seconds left", "about 5 s left", "about 20 s left", "about 55 s left"),
        *("about 1 min left", "about 2 min left", "about 50 min left", "about 2 h left"),
    ]


def test_a_terminal_shows_it_and_lines_that_are_kept_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    runs = [Progress(9, 9, done, 100 - done, 0.2 * done, 1) for done in range(60)]
    shown, kept = Terminal(), io.StringIO()
    live = LiveProgress(shown, SIMULATION)
    plain = PlainProgress(kept, SIMULATION)
    for now in runs:
        live(now)
        plain(now)
    live.close()
    assert "about 15 s left: 9 states" in shown.getvalue()
    assert kept.getvalue() and "left:" not in kept.getvalue()
