"""The gate and its cache: shared by several runs, damaged, or holding what belongs to other rules."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from epochal.checker.base.files import held
from epochal.checker.gate.base import FRESH, PREFIX, remove_left_behind
from tests.checker.gate.conftest import KIP_279, KIP_320, SHOWING, SMALL, UNFENCED, Repository


def test_runs_at_the_same_time_share_one_cache(kip_320: Repository) -> None:
    kip_320.write("mine.py", UNFENCED)
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: kip_320.epochal("gate", "--format", "json"), range(4)))
    assert {one.returncode for one in done} == {20}
    records = [json.loads(one.stdout)["models"][0]["record"] for one in done]
    assert all(record == records[0] for record in records)
    assert not list(kip_320.cache.rglob("*.tmp"))
    shown = kip_320.epochal("cache", "show").stdout
    assert "2 results" in shown and "7,891" in shown


def test_a_damaged_entry_of_the_cache_counts_as_missing(kip_320: Repository) -> None:
    (entry,) = (kip_320.cache / "results").glob("record-*.json")
    whole = entry.read_bytes()
    damaged = whole.replace(b'"distinct_states": 6787', b'"distinct_states": 6788')
    assert damaged != whole
    entry.write_bytes(damaged)
    done = kip_320.epochal("gate", "--format", "json")
    model = json.loads(done.stdout)["models"][0]
    assert (done.returncode, model["source"], model["record"]["distinct_states"]) == (0, "search", 6787)
    assert done.stderr.startswith(f"epochal: warning: the cache {kip_320.cache} has entries that are damaged, or of")
    assert done.stderr.count("warning") == 1
    assert entry.read_bytes() == whole
    entry.write_bytes(whole[:100])
    assert kip_320.gate(expect=0)["models"][0]["source"] == "search"
    assert kip_320.gate(expect=0)["models"][0]["source"] == "cache"
    cleared = kip_320.epochal("cache", "clear")
    assert cleared.returncode == 0 and "removed" in cleared.stdout
    assert "0 results" in kip_320.epochal("cache", "show").stdout
    assert kip_320.gate(expect=0)["models"][0]["source"] == "search"


def test_damaged_rules_in_the_cache_are_kept_again(kip_320: Repository) -> None:
    """They are not only read: whether they are there decides whether they are written."""
    (entry,) = (kip_320.cache / "results").glob("rules-*.json")
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    kip_320.gate(expect=0)
    assert entry.read_bytes() == whole


def test_a_record_of_other_rules_in_the_cache_is_not_believed(kip_320: Repository) -> None:
    """Copied over that of rules which violate a property: the gate searches, finds it, and records nothing false."""
    (sound,) = (kip_320.cache / "results").glob("record-*.json")
    kip_320.model(SHOWING)
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.gate(expect=12)["models"][0]["source"] == "search"
    (faulty,) = set((kip_320.cache / "results").glob("record-*.json")) - {sound}
    shutil.copy(sound, faulty)
    again = kip_320.epochal("gate", "--format", "json")
    assert (again.returncode, json.loads(again.stdout)["models"][0]["source"]) == (12, "search")
    assert "has entries that are damaged, or of another user" in again.stderr
    shutil.copy(sound, faulty)
    before = (kip_320.path / "epochal.lock.json").read_bytes()
    done = kip_320.epochal("baseline", "update", "--reason", "as it is")
    assert done.returncode == 12
    assert "strong_isr is violated" in done.stderr
    assert (kip_320.path / "epochal.lock.json").read_bytes() == before


def test_an_unchanged_model_is_answered_without_an_engine(kip_320: Repository) -> None:
    """What makes the answer quick: nothing is compiled, searched or proved, and nothing of that is imported."""
    kip_320.gate(expect=0)
    done = kip_320.epochal("gate", PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0 and "from the cache" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "epochal.checker.gate.session" in imported
    heavy = {"llvmlite", "numpy", "z3", "networkx", "pyspark", "epochal.checker.native"}
    assert not imported & heavy


# --watch: a save of what the run has loaded starts it again; a save of anything else does not.


def _heed_interrupts() -> None:
    """A process started in the background ignores Ctrl-C, and hands that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Watched:
    """A watching process, and the lines it prints."""

    def __init__(self, repository: Repository, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "epochal", *arguments, "--watch"],
            cwd=repository.path,
            env=repository.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=_heed_interrupts,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, text: str) -> None:
        """Wait for a line with this text."""
        while text not in self.lines.get(timeout=60):
            pass

    def quiet(self, seconds: float) -> bool:
        """Whether nothing is printed for a while."""
        try:
            self.lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def close(self) -> int:
        """Press Ctrl-C; the exit code."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(60)
        self.thread.join()
        return status


@pytest.fixture
def watched(kip_320: Repository, request: pytest.FixtureRequest) -> Iterator[tuple[Repository, Watched]]:
    running = Watched(kip_320, *request.param)
    try:
        yield kip_320, running
    finally:
        if running.process.poll() is None:
            running.close()


@pytest.mark.parametrize("watched", [("gate",)], indirect=True)
def test_the_gate_runs_again_when_its_model_is_saved(watched: tuple[Repository, Watched]) -> None:
    repository, running = watched
    running.until("watching for saved files")
    repository.write("notes.py", "x = 1\n")
    assert running.quiet(2)
    repository.write("mine.py", UNFENCED)
    running.until("mine.py saved")
    running.until("1 of 1 model fails: mine widened")
    running.until("epochal gate approve")
    repository.write("mine.py", KIP_320)
    running.until("mine is unchanged")
    running.until("from the cache")
    assert running.quiet(3)
    assert running.close() == 0


@pytest.mark.parametrize("watched", [("check", "mine.py:Mine", "--max-epoch", "1")], indirect=True)
def test_check_runs_again_when_its_file_is_saved(watched: tuple[Repository, Watched]) -> None:
    repository, running = watched
    running.until("39,619 distinct")
    running.until("ACTION")
    repository.write("mine.py", UNFENCED)
    running.until("43,771 distinct")
    repository.write("mine.py", "class Mine(\n")
    running.until("syntax error")
    repository.write("mine.py", KIP_320)
    running.until("39,619 distinct")


# A model that never ends, and a base that holds nothing, in the gate: told, and the other models are judged.

FOR_EVER = """

    def __init__(self, bounds):
        while True:
            pass
"""


def test_a_model_that_cannot_be_made_in_time(kip_320: Repository) -> None:
    """The budget of the run ends it. What is known of the other is still reported."""
    kip_320.write("endless.py", KIP_279 + FOR_EVER)
    kip_320.append("epochal.toml", '[model.endless]\nprotocol = "endless.py:Mine"\n')
    document = kip_320.gate("--budget", "8s", expect=30)
    found = {model["name"]: model for model in document["models"]}
    assert found["mine"]["verdict"] == "unchanged"
    assert found["endless"]["verdict"] == "inconclusive"
    message = found["endless"]["findings"][0]["message"]
    assert message.startswith("not checked: the time budget of ")
    assert message.endswith(" s is spent while loading and compiling endless")


def test_a_base_that_never_ends(kip_320: Repository) -> None:
    sound = (kip_320.path / "mine.py").read_text(encoding="utf-8")
    kip_320.write("mine.py", sound + FOR_EVER)
    kip_320.commit("a version that never ends")
    kip_320.write("mine.py", sound)
    document = kip_320.gate("--base", "HEAD", "--budget", "10s", expect=0)
    notes = " ".join(document["models"][0]["notes"])
    assert "is not the baseline of this model: the time budget of " in notes
    assert "is spent while loading and compiling the baseline" in notes


def test_a_base_without_files(kip_320: Repository) -> None:
    """Such as what HEAD^{/text} may mean: a commit whose tree is empty."""
    kip_320.git("checkout", "-q", "--orphan", "empty")
    kip_320.git("rm", "-rfq", "--cached", ".")
    kip_320.git("commit", "-q", "--allow-empty", "-m", "nothing at all")
    done = kip_320.epochal("gate", "--base", "HEAD^{/nothing}")
    assert done.returncode == 2
    assert "--base HEAD^{/nothing}: this commit has no files, or git packs them in a way" in done.stderr
    assert "Name a commit that holds the files" in done.stderr and "Traceback" not in done.stderr


# The folders of runs that were killed are removed by the next run; those that are in use are not.


def test_what_killed_runs_have_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, used, fresh, other = (tmp_path / name for name in (f"{PREFIX}1", f"{PREFIX}2", f"{PREFIX}3", "other"))
    long_ago = time.time() - 2 * FRESH
    for folder in (left, used, fresh, other):
        (folder / "files").mkdir(parents=True)
        (folder / "files" / "spec.py").touch()
    link = tmp_path / f"{PREFIX}4"
    link.symlink_to(other)
    with held(used):
        for folder in (left, used, other):
            os.utime(folder, (long_ago, long_ago))
        remove_left_behind()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([used.name, fresh.name, other.name, link.name])


def test_a_run_of_the_gate_removes_them(kip_320: Repository, tmp_path: Path) -> None:
    """Also where it finds nothing to unpack that it could use: the commit does not have the folder."""
    left = tmp_path / "tmp" / f"{PREFIX}1"
    left.mkdir(parents=True)
    os.utime(left, (time.time() - 2 * FRESH,) * 2)
    inside = Repository(kip_320.path / "new", kip_320.cache)
    inside.write("mine.py", (kip_320.path / "mine.py").read_text(encoding="utf-8"))
    inside.model(SMALL)
    done = inside.epochal("gate", "--base", "HEAD", TMPDIR=str(tmp_path / "tmp"))
    assert "it has no folder new" in done.stdout
    assert list((tmp_path / "tmp").iterdir()) == []
    assert done.returncode == 0, done.stdout + done.stderr
