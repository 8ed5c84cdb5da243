"""The pytest plugin: a marker, two fixtures, stored traces as tests, and failures that tell the story."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.forked import Forked, run_pytest

ROOT = Path(__file__).resolve().parents[2]
SMALL = "replicas=2, log_size=1, records=1, max_epoch=1"
MARKED = f"""
import epochal
import pytest

@pytest.mark.epochal("kip-320", {SMALL})
def test_it_holds(epochal_result):
    assert epochal_result.holds and epochal_result.states == 277

@pytest.mark.epochal("truncate-to-hw", {SMALL})
def test_its_bug(epochal_protocol):
    epochal.assert_holds(epochal_protocol)

def test_without_a_marker(epochal_result):
    pass
"""
MINE = """
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

class Counter(Protocol):
    name = "counter"
    value: Annotated[int, Integers(0, 3)]

    @action
    def grow(self) -> None:
        require(self.value < 3)
        self.value += 1

    @invariant
    def small(self) -> bool:
        return self.value < 2
"""


OTHERS = tuple(word for name in ("hypothesispytest", "xdist", "anyio") for word in ("-p", f"no:{name}"))
"""The plugins of others: to load them takes twice as long as a run."""
ASKED = ("-q", "-p", "no:cacheprovider", "--rootdir")


class Ran(NamedTuple):
    """How pytest ended, and what it printed."""

    returncode: int | None
    stdout: str


def run(folder: Path, *words: str) -> Ran:
    """Run pytest in a folder."""
    done = Forked(folder, (*OTHERS, *ASKED, str(folder), *words), run_pytest)
    out, err = done.communicate(timeout=300)
    return Ran(done.returncode, out + err)


def sections(printed: str) -> dict[str, str]:
    """What is printed of each test that failed, by its heading."""
    _, *found = re.split(r"^_{3,} (.+?) _{3,}$", printed.split("short test summary")[0], flags=re.MULTILINE)
    return dict(zip(found[::2], found[1::2], strict=True))


def test_a_marker_with_bounds_and_a_failure_with_the_story(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(MARKED, encoding="utf-8")
    done = run(tmp_path, "--strict-markers")
    assert "1 failed, 1 passed, 1 error" in done.stdout, done.stdout
    assert "truncate-to-hw: weak_isr violated" in done.stdout
    assert "LeaderWrite(b2)  b2 appends a record  [spec/classic/leader.py:34]" in done.stdout
    assert "test_without_a_marker has no protocol. Mark it: @pytest.mark.epochal(" in done.stdout


ASSERTED = """
import epochal
import pytest

@pytest.mark.epochal("kip-101", replicas=2)
def test_asserted(epochal_result) -> None:
    assert epochal_result.holds

@pytest.mark.epochal("kip-101", replicas=2)
def test_raised(epochal_result) -> None:
    epochal_result.raise_for_violation()

@pytest.mark.epochal("kip-320", replicas=2, max_epoch=1)
def test_about_something_else(epochal_result) -> None:
    assert epochal_result.search.depth == 0

@pytest.mark.epochal("kip-101", replicas=2)
def test_expected(epochal_result) -> None:
    assert not epochal_result.holds
"""
STORY = "11. LeaderExpandsIsr"


def test_a_plain_assert_fails_with_the_story(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(ASSERTED, encoding="utf-8")
    done = run(tmp_path, "--strict-markers")
    assert "3 failed, 1 passed" in done.stdout, done.stdout
    asserted, raised, other = re.split(r"_{5,} test_\w+ _{5,}", done.stdout.split("short test summary")[0])[1:]
    assert "assert epochal_result.holds" in asserted and "- epochal_result -" in asserted
    assert "kip-101: weak_isr, strong_isr violated" in asserted and "  [spec/classic/leader.py:" in asserted
    assert raised.count(" 0. Initial state") == 1 and "- epochal_result -" not in raised, "it tells itself"
    assert "kip-320: all checked properties hold" in other.split("- epochal_result -")[1]


WRONG = {
    "bound": ('"kip-101", replica=2', "replica is no bound and no setting of kip-101"),
    "value": ('"kip-101", replicas=99', "replicas"),
    "protocol": ('"kip-102"', "kip-102"),
    "file": ('"gone.py:Mine"', "gone.py"),
    "nothing": ("", "has no protocol. Mark it: "),
}
"""What a marker says, and what is said of that, by what is wrong."""


def test_a_wrong_marker_is_told_in_a_line(tmp_path: Path) -> None:
    made = "@pytest.mark.epochal({})\ndef test_{}(epochal_result) -> None: ...\n"
    text = "\n\n".join(["import pytest", *(made.format(marked, name) for name, (marked, _) in WRONG.items())])
    (tmp_path / "test_mine.py").write_text(text, encoding="utf-8")
    done = run(tmp_path)
    assert f"{len(WRONG)} errors" in done.stdout, done.stdout
    for name, (_, told) in WRONG.items():
        said = sections(done.stdout)[f"ERROR at setup of test_{name}"].splitlines()[1:]
        assert said[0].startswith(f"test_mine.py::test_{name} ") and told in said[0]
        assert len(said) <= 2, "the mistake, and what to do: no traceback"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A folder with a trace of a registered protocol, and one of another tool."""
    shutil.copy(ROOT / "counterexamples" / "kip-279-strong-isr.itf.json", tmp_path)
    (tmp_path / "quint.itf.json").write_text('{"#meta": {"tool": "quint"}, "vars": [], "states": []}', encoding="utf-8")
    return tmp_path


def test_stored_traces_are_tests(stored: Path) -> None:
    """Also beside the plugins of others, in a process that imports everything."""
    command = [sys.executable, "-m", "pytest", *ASKED, str(stored)]
    done = subprocess.run(command, cwd=stored, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout
    assert "no tests ran" in run(stored, "-o", "epochal_replay=false").stdout
    assert "no tests ran" in run(stored, "-p", "no:epochal").stdout


def test_a_trace_that_no_longer_replays_says_why(stored: Path) -> None:
    path = stored / "kip-279-strong-isr.itf.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["states"][-1]
    path.write_text(json.dumps(document), encoding="utf-8")
    done = run(stored)
    assert done.returncode == 1 and "no longer replays" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout


def test_a_specification_runs_because_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    checked = Forked(tmp_path, ("check", "mine.py:Counter", "--out", "found"))
    checked.communicate(timeout=300)
    assert checked.returncode == 12
    done = run(tmp_path)
    assert done.returncode == 1 and "the trace is of" in done.stdout, done.stdout
    assert "name it: epochal_protocols = mine.py:Counter, in pytest's configuration" in done.stdout
    done = run(tmp_path, "-o", "epochal_protocols=mine.py:Counter")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout


DAMAGED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "truncated": (lambda text: text[: len(text) // 2], "it ends too early"),
    "conflict": (lambda text: b"<<<<<<< HEAD\n" + text, "the file is not JSON"),
    "empty": (lambda text: b"", "the file is empty"),
    "latin-1": (lambda text: text.replace(b"strong_isr", b"str\xf6ng_isr"), "is not UTF-8 text"),
    "twins": (lambda text: text.rstrip()[:-1] + b', "#meta": {"tool": "other"}}', "occurs twice in one object"),
    "deep": (lambda text: b"[" * 200_000, "nested too deeply"),
}


def test_a_damaged_trace_is_not_passed_over(stored: Path) -> None:
    whole = (stored / "kip-279-strong-isr.itf.json").read_bytes()
    for name, (damage, _) in DAMAGED.items():
        (stored / f"{name}.itf.json").write_bytes(damage(whole))
    done = run(stored)
    assert done.returncode == 1 and f"{len(DAMAGED)} failed, 1 passed" in done.stdout, done.stdout
    assert "Traceback" not in done.stdout
    for name, (_, told) in DAMAGED.items():
        assert told in sections(done.stdout)[f"{name}.itf.json replays"]


def test_a_trace_with_a_byte_order_mark_is_a_test(stored: Path) -> None:
    path = stored / "kip-279-strong-isr.itf.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert "1 passed" in run(stored).stdout


UNUSED = f"""
import epochal
import pytest

@pytest.mark.epochal("truncate-to-hw", {SMALL})
def test_nothing():
    pass

@pytest.mark.epochal("kip-320", {SMALL})
class TestSome:
    def test_of_something_else(self):
        pass

    def test_it_holds(self, epochal_result):
        epochal_result.raise_for_violation()
"""


def test_a_marker_that_does_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(UNUSED, encoding="utf-8")
    done = run(tmp_path)
    assert "2 passed, 1 error" in done.stdout, done.stdout
    assert "the marker epochal does nothing for a test that takes none of its fixtures" in done.stdout


def test_a_class_without_bounds_is_marked_by_with_args(tmp_path: Path) -> None:
    text = MINE + "import pytest\n\n@pytest.mark.epochal{}(Counter)\ndef test_it(epochal_protocol):\n    pass\n"
    (tmp_path / "test_mine.py").write_text(text.format(""), encoding="utf-8")
    done = run(tmp_path)
    assert done.returncode == 2 and "write .with_args(Counter)" in done.stdout, done.stdout
    (tmp_path / "test_mine.py").write_text(text.format(".with_args"), encoding="utf-8")
    assert "1 passed" in run(tmp_path).stdout
