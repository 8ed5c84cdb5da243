"""Worker processes: the same answers as one process gives, an end in every case, and no script runs again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.solver.answer import Solver
from epochal.checker.solver.dispatch import Progress, QueryRunner
from epochal.checker.solver.induction import Induction, Questions, prepared, prove
from epochal.checker.workers.pool import WorkerLost, Workers
from epochal.spec.classic.kip_320_proof import Kip279Proof
from tests.checker.solver.test_ask import SMALL, Two, content
from tests.zoo.rows import made

CHECKOUT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
"""The environment of a process that finds this project."""


def test_two_workers_say_the_same() -> None:
    """Counterexamples, verdicts and their order do not depend on the number of workers; nor when they go on."""
    told: list[Progress] = []
    one = prove(Kip279Proof(SMALL))
    assert one.failed
    with Workers(2, Solver) as workers:
        for _ in range(2):
            told.clear()
            two = prove(Kip279Proof(SMALL), ask=QueryRunner(workers, cached=False, progress=told.append))
            assert content(two) == content(one)
            assert [now.done for now in told] == list(range(1, len(two.model.instances) + 4))
            assert told[-1].asked == told[-1].done and told[-1].failed == len(two.failed)
        assert running(workers) == 1
    assert running(workers) == 0


class Unreadable:
    """What another process cannot read, such as an instance of a class of `__main__`."""

    def __reduce__(self) -> tuple[Any, ...]:
        return attrgetter("nothing_of_this_name"), (None,)


def test_what_a_worker_cannot_read_is_told() -> None:
    with (
        Workers(1, Solver, here=False) as workers,
        pytest.raises(AttributeError, match="nothing_of_this_name"),
    ):
        list(workers(Unreadable(), [(0, None)]))  # type: ignore[arg-type, list-item]


def running(workers: Workers[Any, Any, Any]) -> int:
    """How many processes beside this one are still there."""
    return sum(other._process.poll() is None for other in workers._others)


Slow: type[Any] = made(
    globals(),
    Two,
    """
    Slow: Three actions for Z3 to think about for hours, and a lemma about them.
        c: Annotated[int, Integers(0, 2**20)]
        d: Annotated[int, Integers(0, 2**20)]
        action turn(by: Annotated[int, Integers(0, 40)]): Change places.
            self.c, self.d = (self.d * self.d + by) % 1048573, (self.c * self.c * self.c + by) % 1048571
        lemma factors: A number has no two factors.
            return self.c * self.d != 10967535067 or self.c == 1 or self.d == 1
    """,
)


@pytest.mark.usefixtures("heeding_interrupts")
def test_a_proof_that_is_broken_off_leaves_nothing_behind() -> None:
    """Neither a process nor a thread, although all were in the middle of long questions."""
    with pytest.raises(KeyboardInterrupt), Workers(2, Solver) as workers:
        induction = Induction(prepared(Slow(), None), 2**32 - 1)
        questions = Questions(induction.plan, induction.rlimit)
        lemmas = induction.plan.lemmas
        asked = [questions.of_instance(c, lemmas, lemmas) for c in induction.model.instances]
        threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT]).start()
        for _ in workers(questions.premises, list(enumerate(asked))):
            pass
    assert running(workers) == 0
    assert [t.name for t in threading.enumerate() if t.name.startswith("worker")] == []


LOSING = "tests.checker.workers.losing_worker"
"""What runs instead of a worker."""


def test_a_worker_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a wait without end, and not a proof. This process may answer nothing: it could be done before the other."""
    monkeypatch.setattr("epochal.checker.workers.pool.WORKER", LOSING)
    monkeypatch.setenv("EPOCHAL_TEST_WORKER", "dies")
    with (
        Workers(2, Solver) as workers,
        workers._here.lock,
        pytest.raises(WorkerLost, match="ended before it had an answer"),
    ):
        prove(Kip279Proof(SMALL), ask=QueryRunner(workers, cached=False))
    assert running(workers) == 0


def test_what_goes_wrong_in_another_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.checker.workers.pool.WORKER", LOSING)
    monkeypatch.setenv("EPOCHAL_TEST_WORKER", "fails")
    with (
        Workers(2, Solver) as workers,
        workers._here.lock,
        pytest.raises(ZeroDivisionError, match="in the other process"),
    ):
        prove(Kip279Proof(SMALL), ask=QueryRunner(workers, cached=False))


def test_a_worker_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Even if that is killed, and even in the middle of a question."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal\n"
        "from epochal.checker.solver.answer import Solver\n"
        "from epochal.checker.workers.pool import Workers\n"
        "other = Workers(2, Solver)._others[0]\n"
        "other.wait()\n"
        "print(other._process.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, str(script)], env=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    deadline = time.monotonic() + 30
    while _is_there(int(done.stdout)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")  # one that ended may stay, as a zombie, where nobody waits for orphans
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


PROVING = """
import epochal
print("once", flush=True)
proof = epochal.prove(epochal.load("kip-320-proof", replicas=2, max_epoch=1), workers=2, cached=False)
print(proof.proved, proof.proof.protocol.name)
"""
"""What somebody writes who knows nothing of processes."""

IN_A_THREAD = f"""
import threading
thread = threading.Thread(target=exec, args=({PROVING!r}, {{}}))
thread.start()
thread.join()
"""

IN_A_NOTEBOOK = f"""
import sys, types
sys.modules["__main__"] = types.ModuleType("__main__")
sys.modules["__main__"].__file__ = "<a cell>"
exec(compile({PROVING!r}, "<a cell>", "exec"), vars(sys.modules["__main__"]))
"""


@pytest.mark.parametrize("started", ["script", "module", "text", "input"])
@pytest.mark.parametrize("program", [PROVING, IN_A_THREAD, IN_A_NOTEBOOK], ids=["plain", "thread", "notebook"])
def test_the_main_module_never_runs_again(program: str, started: str, tmp_path: Path) -> None:
    """Wherever it stands, guarded or not: a worker process runs a program of its own."""
    (tmp_path / "minimal.py").write_text(program)
    command = {
        "script": ["minimal.py"],
        "module": ["-m", "minimal"],
        "text": ["-c", program],
        "input": ["-"],
    }[started]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env=CHECKOUT,
        input=program if started == "input" else "",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("once\nTrue kip-320-proof\n", "", 0)
