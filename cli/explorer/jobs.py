"""Searches that the explorer has under way: one after the other, each in a process of its own, with what it tells."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from epochal.checker.semantics.properties import all_properties
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.sentences import LONGEST
from epochal.spec.kraft.guarantees import FAULTS
from epochal.spec.language.configurable import as_options, settings_of, split_reference, with_configuration
from epochal.spec.registry import registered

from .walk import Address, Opened, Shelf, read_address, walk

# -- questions --------------------------------------------------------------------------------------------------------
# What the explorer asks of the command line: each question as the words of a command, from the fields of a form.
#
# A search runs as the command that anybody could type, in a process of its own: the page shows that command, the server
# stays free, and a search that is stopped or dies takes nothing with it.

Fields = Mapping[str, str]
"""What a form says."""

MOST_LENGTH: Final = 40
"""The longest run that a form asks Z3 for."""


HERE: Final = "run.itf.json"
"""How the page calls the file with the run from which a search begins."""


@dataclass(frozen=True)
class Question:
    """A question as a command: its words after `epochal`, what it is called, and whether its answer is JSON alone.

    `of` is where the question was asked, the query of an address. A command that is `quiet` writes no files. `good` is
    what it means that it ends well; `file` is a file that it reads, which the page names otherwise.
    """

    title: str
    words: tuple[str, ...]
    of: str = ""
    as_json: bool = False
    quiet: bool = False
    good: str = ""
    file: str = ""

    @property
    def command(self) -> str:
        """The command as people type it."""
        words = (word.replace(self.file, HERE) if self.file else word for word in self.words)
        return shlex.join(("epochal", *words))


def question(shelf: Shelf, fields: Fields, folder: Path) -> Question:
    """The question of a form. What a command reads is written to `folder`. Raises EpochalError for nonsense."""
    kind = fields.get("kind", "")
    if kind not in KINDS:
        raise UsageError(f"no question is called {kind[:LONGEST]!r}", "Begin again from the start page.")
    return KINDS[kind](shelf, fields, folder)


def subject_words(opened: Opened) -> list[str]:
    """A protocol within bounds, as the command line takes it."""
    name, _, settings = opened.reference.partition(" ")
    return [name, *shlex.split(settings), *as_options(dict(opened.own_bounds))]


def _asked(shelf: Shelf, fields: Fields) -> tuple[Address, Opened]:
    address = read_address(fields.get("from", ""))
    return address, shelf.open(address.protocol, address.bounds)


def _property(opened: Opened, fields: Fields) -> list[str]:
    """The property that is asked about, if one is."""
    name = fields.get("property", "")
    if not name:
        return []
    liveness = opened.protocol.members("leads_to")
    if name not in {one.name for one in (*all_properties(opened.protocol, False), *liveness)}:
        raise UsageError(f"{opened.reference} has no property {name[:LONGEST]!r}")
    return ["--property", name]


def _length(fields: Fields) -> str:
    text = fields.get("length", "")
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:4]) <= MOST_LENGTH):
        raise UsageError(f"a number of steps from 1 to {MOST_LENGTH} is needed, not {text[:LONGEST]!r}")
    return text


def _budget(fields: Fields) -> list[str]:
    text = fields.get("budget", "") or "10"
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= 100_000):
        raise UsageError(f"a budget is a number of minutes, not {text[:LONGEST]!r}")
    return ["--budget", f"{text}m"]


def _check(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    more = ["--all-violations"] if fields.get("all") else []
    more += ["--symmetry"] if fields.get("symmetry") else []
    words = ["check", *subject_words(opened), *_property(opened, fields), *more, *_budget(fields)]
    return Question(f"Search of {opened.reference}", tuple(words), address.query())


def _bounded(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    words = ["bmc", *subject_words(opened), "--length", _length(fields), *_property(opened, fields)]
    good = f"nothing is violated within {_length(fields)} steps"
    return Question(f"Z3 on runs of {opened.reference}", tuple(words), address.query(), good=good)


def _from_here(shelf: Shelf, fields: Fields, folder: Path) -> Question:
    address, opened = _asked(shelf, fields)
    run = walk(opened, address)
    file = folder / "here.itf.json"
    run.trace.save(file)
    start = ["--from", f"{file}:{run.address.at}"]
    words = ["bmc", *subject_words(opened), "--length", _length(fields), *start, *_property(opened, fields)]
    title = f"Z3 from state {run.address.at} of a run of {opened.reference}"
    good = f"nothing is violated within {_length(fields)} steps from there"
    return Question(title, tuple(words), address.query(), good=good, file=str(file))


def _prove(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    words = ["prove", *subject_words(opened), *_property(opened, fields)]
    return Question(f"Proof of {opened.reference}", tuple(words), address.query())


def _compare(shelf: Shelf, fields: Fields, _: Path) -> Question:
    address, opened = _asked(shelf, fields)
    other = fields.get("other", "")
    shelf.kind(other)
    name, *settings = shlex.split(opened.reference)
    if settings or split_reference(other)[1]:
        raise UsageError("two protocols with settings are compared on the command line", "epochal compare --help")
    words = ["compare", name, other, *as_options(dict(opened.own_bounds)), *_budget(fields)]
    return Question(f"{opened.reference} and {other}", tuple(words), address.query())


def _guarantees(_: Shelf, fields: Fields, __: Path) -> Question:
    known = settings_of(registered("kraft"))
    said: dict[str, object] = {}
    for name, setting in known.items():
        text = fields.get(name, "")
        if text:
            said[name] = setting.value(text == "true" if setting.kind == "switch" else text)
    with_configuration(registered("kraft"), said)  # which refuses what Kafka does not know
    factor = fields.get("replication_factor", "") or "3"
    if factor not in ("1", "2", "3", "4"):
        raise UsageError(f"a replication factor is 1 to 4, not {factor[:LONGEST]!r}")
    words = ["guarantees", *as_options(said), "--replication-factor", factor]
    fault = fields.get("fault", "")
    if fault:
        if fault not in {one.id for one in FAULTS}:
            raise UsageError(f"no fault is called {fault[:LONGEST]!r}")
        return Question(f"The runs of a fault: {fault}", (*words, "--fault", fault, "--story", *_budget(fields)))
    return Question("What Kafka guarantees", (*words, *_budget(fields)), as_json=True, quiet=True, good="decided")


def _catalogue(_: Shelf, fields: Fields, __: Path) -> Question:
    from epochal.spec.bugs.catalogue import CATALOGUE

    key = fields.get("key", "")
    if key not in {entry.id for entry in CATALOGUE}:
        raise UsageError(f"the catalogue has no entry {key[:LONGEST]!r}")
    return Question(f"Catalogue entry {key}", ("catalogue", key, *_budget(fields)))


KINDS: Final[Mapping[str, Callable[[Shelf, Fields, Path], Question]]] = {
    "check": _check,
    "bmc": _bounded,
    "from-here": _from_here,
    "prove": _prove,
    "compare": _compare,
    "guarantees": _guarantees,
    "catalogue": _catalogue,
}
"""The questions by the names that forms give them."""

MOST_JOBS: Final = 40
"""So many searches are kept, with their files; the oldest that has ended goes first."""

MOST_TOLD: Final = 20_000
"""So many snapshots of a search are kept, evenly over its time once there are more."""

PATIENCE: Final = 10.0
"""Seconds that a search that is stopped has, to say what it has found; then it is ended."""

Status = Literal["waiting", "running", "ended", "stopped"]


@dataclass
class Job:
    """A search: its question, the folder with its files, and what it has told. `code` is its exit code."""

    number: int
    question: Question
    folder: Path
    status: Status = "waiting"
    stopping: bool = False
    code: int | None = None
    said: list[dict[str, Any]] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    begun: float = 0.0
    seconds: float = 0.0
    process: subprocess.Popen[str] | None = None

    @property
    def output(self) -> str:
        """What the command has printed."""
        file = self.folder / "stdout"
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""

    @property
    def document(self) -> dict[str, Any] | None:
        """The answer as plain data, where the command prints or writes it."""
        for file in (self.folder / "stdout", self.folder / "out" / "result.json"):
            with contextlib.suppress(OSError, ValueError):
                found = json.loads(file.read_text(encoding="utf-8"))
                if isinstance(found, dict):
                    return found
        return None

    @property
    def traces(self) -> list[str]:
        """The names of the runs that were found, as files of its folder."""
        return sorted(file.name for file in (self.folder / "out").glob("*.itf.json"))

    def line(self) -> str:
        """What it does, in a line."""
        if self.status == "waiting":
            return "waiting for the search before it"
        last = self.said[-1] if self.said else {}
        seconds = time.monotonic() - self.begun
        if last.get("doing"):
            return f"{last['doing']}, {seconds:.0f} s"
        if "queue" in last:
            return (
                f"{last['states']:,} states, depth {last['depth']}, {last['queue']:,} in the queue, "
                f"{last['rate']:,.0f} a second, {seconds:.0f} s"
            )
        if "questions" in last:
            answered, asked, kept = last["answered"], last["questions"], last["from_cache"]
            return f"{answered} of {asked} questions answered ({kept} from the cache), {seconds:.0f} s"
        told = " ".join(f"{name} {value}" for name, value in last.items()) or (
            self.other[-1] if self.other else "starting"
        )
        return f"{told}, {seconds:.0f} s"


class Jobs:
    """Runs questions, one at a time, each in a folder below one of its own, which is deleted at the end."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="epochal-explore-"))
        self.known: dict[int, Job] = {}
        self._asked: queue.Queue[Job | None] = queue.Queue()
        self._closing = False
        self._lock = threading.Lock()
        self._ignored = _heeded_by_searches()
        self._thread = threading.Thread(target=self._work, name="searches", daemon=True)
        self._thread.start()

    def new_folder(self) -> tuple[int, Path]:
        """A number for the next search, and its folder."""
        with self._lock:
            number = max(self.known, default=0) + 1
            folder = self.folder / str(number)
            folder.mkdir()
            self.known[number] = Job(number, Question("", ()), folder)
            self._forget()
            return number, folder

    def start(self, number: int, asked: Question) -> Job:
        """Put a question into the queue."""
        job = self.known[number]
        job.question = asked
        self._asked.put(job)
        return job

    def cancel(self, number: int) -> None:
        """Forget a search that was not asked after all."""
        job = self.known.pop(number)
        shutil.rmtree(job.folder, ignore_errors=True)

    def job(self, number: int) -> Job:
        """A search by its number. Raises UsageError for one that is not there."""
        if number not in self.known:
            raise UsageError(f"there is no search {number}", "Searches are forgotten when the explorer ends.")
        return self.known[number]

    def stop(self, job: Job) -> None:
        """End a search as Ctrl-C does: it says what it has found until then."""
        if job.status == "waiting":
            job.status = "stopped"
        job.stopping = True
        process = job.process
        if process is not None and process.poll() is None:
            _signal(process, signal.SIGINT)
            timer = threading.Timer(PATIENCE, _end, (process,))
            timer.daemon = True
            timer.start()

    def close(self) -> None:
        """End the search that runs, begin none that waits, and delete all files."""
        self._closing = True
        self._asked.put(None)
        for job in self.known.values():
            if job.process is not None:
                _end(job.process)
        self._thread.join(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._ignored and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _forget(self) -> None:
        """Forget the oldest searches that have ended."""
        ended = [number for number, job in self.known.items() if job.status in ("ended", "stopped")]
        for number in ended[: max(0, len(self.known) - MOST_JOBS)]:
            self.cancel(number)

    def _work(self) -> None:
        while (job := self._asked.get()) is not None:
            if job.status == "waiting" and not self._closing:
                self._run(job)

    def _run(self, job: Job) -> None:
        """Run a command to its end, and keep what it tells meanwhile."""
        words = [*job.question.words, "--progress", "json"]
        words += ["--format", "json"] if job.question.as_json else []
        words += [] if job.question.quiet else ["--out", str(job.folder / "out")]
        job.status, job.begun = "running", time.monotonic()
        with (job.folder / "stdout").open("w", encoding="utf-8") as output:
            job.process = subprocess.Popen(
                [sys.executable, "-m", "epochal", *words],
                start_new_session=True,  # Ctrl-C is for the server, which ends its searches itself
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
            if self._closing:
                _end(job.process)
            if job.stopping:  # between the queue and the process
                self.stop(job)
            assert job.process.stderr is not None
            for line in job.process.stderr:
                _hear(job, line.rstrip("\n"))
            job.code = job.process.wait()
        job.seconds = time.monotonic() - job.begun
        job.status = "ended"


def _heeded_by_searches() -> bool:
    """Let searches heed SIGINT, by which they are stopped, where this process ignores it; whether it does.

    What a shell runs in the background ignores it, and would hand that on. What is handled is not handed on.
    """
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: None)
        return True
    return False


def _hear(job: Job, line: str) -> None:
    """Keep a line of a search's progress, or of what else it says."""
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if isinstance(said, dict):
        job.said.append(said)
        if len(job.said) > MOST_TOLD:
            job.said[:] = job.said[::2]
    elif line.strip():
        job.other = [*job.other[-199:], line]


def _end(process: subprocess.Popen[str]) -> None:
    """End a search that is still there, with the processes that it has started."""
    if process.poll() is None:
        _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


# -- job answers ------------------------------------------------------------------------------------------------------
# What a search has found, as its page shows it: curves, the matrix of a proof, the table of guarantees, the report.

WIDTH, HEIGHT = 600, 200
"""The size of a curve, in its own units."""

MOST_POINTS: Final = 600

PROMISES: Final = {"acknowledged": "acknowledged kept", "read": "read kept", "logs": "logs agree"}
"""The questions of guarantees, as columns."""


@dataclass(frozen=True)
class Curves:
    """Two lines over time, as points of an SVG: states, and those that wait."""

    states: str
    queue: str


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, how it is coloured, and the run behind it, if there is one."""

    text: str
    tone: str = ""
    file: str = ""
    behind: tuple[str, ...] = ()


SIGNS: Final = {**dict.fromkeys(("proved", "trivial", "holds"), Cell("✓", "good")), "untouched": Cell("·")}
"""How cells of a proof are drawn that are not open."""


@dataclass(frozen=True)
class Matrix:
    """A table of lemmas (rows) by actions (columns)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class FaultRow:
    """A fault, and what it does to each guarantee."""

    fault: str
    title: str
    cells: tuple[Cell, ...]

    @property
    def broken(self) -> bool:
        """Whether a guarantee is broken, so that there is a run to show."""
        return any(cell.tone == "bad" for cell in self.cells)


@dataclass(frozen=True)
class FaultTable:
    """What one release, or its design, guarantees. `fields` are those of the form that asked."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[FaultRow, ...]
    fields: tuple[tuple[str, str], ...]


def answers_of(job: Job) -> dict[str, Any]:
    """What the page of a search shows besides the search itself."""
    document = (job.document if job.status == "ended" else None) or {}
    told = [one for one in job.said if "queue" in one]
    return {
        "verdict": verdict(job),
        "curves": _curves(told) if len(told) > 1 else None,
        "most_states": f"{max(one['states'] for one in told):,}" if len(told) > 1 else "",
        "most_queue": f"{max(one['queue'] for one in told):,}" if len(told) > 1 else "",
        "matrix": matrix(document) if "matrix" in document else None,
        "tables": [_fault_table(one, document["bounds"]) for one in document.get("tables", ())],
        "found": _sorted_runs(job, document),
        "report": "" if job.question.as_json and job.code in MEANT else without_files(job.output),
    }


def _sorted_runs(job: Job, document: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The runs that were found: what goes wrong first, then what should be reachable and is."""
    told = document.get("properties")
    reached = told if isinstance(told, list) else ()  # guarantees call their questions so
    good = [
        one["id"].replace("_", "-") for one in reached if one.get("kind") == "reachable" and one["verdict"] == "holds"
    ]
    fine = [name for name in job.traces if name.removesuffix(".itf.json").endswith(tuple(good))] if good else []
    wrong = [name for name in job.traces if name not in fine]
    groups = [("Runs that go wrong", wrong), ("Runs to what should be reachable", fine)]
    return [(title, names) for title, names in groups if names]


MEANT: Final = frozenset({ExitCode.HOLDS, ExitCode.INCONCLUSIVE})
"""How a command ends whose JSON is shown as a table."""


def verdict(job: Job) -> str:
    """How a search stands, in a few words."""
    if job.code is None:
        return job.status
    known = {int(code): code.title for code in ExitCode}
    good = job.question.good if job.code == ExitCode.HOLDS else ""
    said = good or known.get(job.code, "ended")
    return f"{said} (exit code {job.code}, {job.seconds:.1f} s)"


def without_files(report: str) -> str:
    """A report without the files that it has written, which the page has as links."""
    kept, leaving = [], False
    for line in report.splitlines():
        leaving = line == WRITTEN or (leaving and line.startswith(" "))
        kept += [] if leaving else [line]
    return "\n".join(kept)


WRITTEN: Final = "Written"
"""How the part of a report begins that names files."""


def _curves(told: Sequence[Mapping[str, Any]]) -> Curves:
    step = max(1, len(told) // MOST_POINTS)
    return Curves(*(_points([one[name] for one in told[::step]]) for name in ("states", "queue")))


def _points(values: Sequence[int]) -> str:
    """Values as the points of a line, from left to right, the greatest at the top."""
    most = max(1, *values)
    last = max(1, len(values) - 1)
    return " ".join(
        f"{at / last * WIDTH:.1f},{HEIGHT - value / most * (HEIGHT - 8):.1f}" for at, value in enumerate(values)
    )


def matrix(document: Mapping[str, Any]) -> Matrix:
    """The cells of a proof; one with a counterexample to induction leads to it, by its number."""
    cells: dict[str, dict[str, Cell]] = {}
    columns: dict[str, None] = {}
    for number, one in enumerate(document["matrix"]):
        file = f"cell-{number}" if one.get("trace") else ""
        word = one["verdict"]
        cell = SIGNS.get(word) or Cell("✗" if file else word, "bad", file)
        cells.setdefault(one["column"], {})[one["action"]] = cell
        columns[one["action"]] = None
    empty = Cell("·")
    rows = tuple((name, tuple(row.get(action, empty) for action in columns)) for name, row in cells.items())
    return Matrix(tuple(columns), rows)


def _fault_table(table: Mapping[str, Any], bounds: Mapping[str, int]) -> FaultTable:
    """A table of guarantees; one that is broken says in how many states, and what is behind it."""
    rows = []
    for fault in table["faults"]:
        cells = [_promise(fault["answers"].get(name)) for name in PROMISES]
        cells.append(_writes(fault["writes_with_one_down"]))
        rows.append(FaultRow(fault["fault"], fault["title"], tuple(cells)))
    fields = [
        (name, str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in table["configuration"].items()
    ]
    fields.append(("replication_factor", str(bounds.get("replication_factor", 3))))
    return FaultTable(table["title"], (*PROMISES.values(), "writes with one down"), tuple(rows), tuple(fields))


def _promise(answer: Mapping[str, Any] | None) -> Cell:
    if answer is None:
        return Cell("-")
    if answer["verdict"] == "violated":
        return Cell(f"NO, {answer['length']} states", "bad", behind=tuple(answer["behind"]))
    return Cell("yes", "good") if answer["verdict"] == "holds" else Cell(answer["verdict"])


def _writes(said: bool | None) -> Cell:
    return Cell("-") if said is None else Cell("yes", "good") if said else Cell("NO", "bad")
