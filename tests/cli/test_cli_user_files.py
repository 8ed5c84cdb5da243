"""A user's own file: found, loaded without side effects, and blamed by line when it is broken or hostile."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from epochal.checker.trace.itf import TraceError
from epochal.cli.app.command import described, guarded
from epochal.cli.commands.protocols import SMALL, SOURCES
from epochal.errors import ExpectationMissed
from epochal.spec.language import BoundsError, EvaluationError, Given, LanguageError, LoadError, SourceLine
from epochal.spec.starting_files import FILES
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
RULES = "    @action\n    def go(self): self.x = True\n    @invariant\n    def ok(self): return not self.x\n"
SPEC = "from epochal.language import *\nclass Mine(Protocol):\n    x: bool\n"
BROKEN = [
    (
        "class X(Exception):\n    def __str__(self): raise ValueError\nraise X\n",
        "mine.py:3: the file fails while it is imported: X: it cannot say what is wrong\n",
        150,
    ),
    (
        "class X(Exception):\n    def __str__(self): return 5\nraise X\n",
        "mine.py:3: the file fails while it is imported: X: it cannot say what is wrong\n",
        150,
    ),
    (
        "class M(type):\n    @property\n    def __name__(c): raise ValueError\n"
        "class X(Exception, metaclass=M): pass\nraise X\n",
        "mine.py:5: the file fails while it is imported: X\n",
        150,
    ),
    (
        "class M(type): pass\nfrom epochal.language import Protocol\nclass Mine(Protocol, metaclass=M): pass\n",
        "mine.py:3: the file fails while it is imported: TypeError: metaclass conflict",
        150,
    ),
    (
        "from epochal.language import *\nclass M(type(Protocol)):\n"
        "    def __getattribute__(c, name): raise ValueError(name)\n"
        "class Mine(Protocol, metaclass=M):\n    x: bool\n",
        "mine.py:3: the file fails while it is imported: ValueError",
        150,
    ),
    (
        "from epochal.language import *\nclass H:\n    def __get__(self, *_): raise ValueError('no')\n"
        "class Mine(Protocol):\n    x: bool\n    h = H()\n" + RULES,
        "mine.py:3: the specification's own code fails: ValueError: no\n"
        "  It runs whenever the specification is looked at.",
        150,
    ),
    (
        SPEC + "    def initial(self): raise SystemExit(0)\n" + RULES,
        "mine.py:4: the specification language does not have raise",
        120,
    ),
    (
        SPEC + "    def initial(self): self.__dict__.clear()\n" + RULES,
        "mine.py:4: the specification language does not have the name __dict__",
        120,
    ),
    (
        SPEC + "    def __init__(self, bounds): raise SystemExit(0)\n" + RULES,
        "mine.py:4: Mine cannot be made: SystemExit: 0",
        150,
    ),
    ("def f(:\n", "mine.py:1: syntax error: invalid syntax", 150),
    ("x = 1\x00\n", "source code string cannot contain null bytes", 150),
    (
        "x = 1\nraise ValueError('two\\nlines')\n",
        "mine.py:2: the file fails while it is imported: ValueError: two lines",
        150,
    ),
    ("import sys\nsys.exit(0)\n", "mine.py:2: the file ends the program while it is imported (sys.exit)", 150),
    ("def f():\n    return f()\nf()\n", "mine.py:2: the file recurses without end while it is imported", 150),
    ("class Odd(BaseException): pass\nraise Odd\n", "mine.py:2: the file fails while it is imported: Odd", 150),
    ("import no_such_module\n", "mine.py:1: ModuleNotFoundError: No module named 'no_such_module'", 150),
    ("from .sibling import x\n", "Files beside this one are imported by name: from sibling import Name.", 150),
    ("x = 1\n", "mine.py has no class Mine\n  There are no protocols in it.", 150),
    ("class Mine: pass\n", "Mine in mine.py is not a protocol", 150),
    ("from epochal.language import Protocol as Mine\n", "Mine in mine.py is not a protocol", 150),
    ("from epochal.language import Protocol\nclass Mini(Protocol): pass\n", "Did you mean Mini?", 150),
    ("from epochal.language import Protocol\nclass Mine(Protocol): pass\n", "Mine declares no state variable", 150),
    ("from epochal.language import Protocol\nclass Mine(Protocol):\n    x: int\n", "Mine.x: int is unbounded", 120),
    (
        "from epochal.language import Protocol\nclass Mine(Protocol):\n    x: 'Nowhere'\n",
        "the annotations of Mine cannot be evaluated: name 'Nowhere' is not defined",
        120,
    ),
    (
        "from epochal.language import Protocol\nclass Mine(Protocol):\n    x: bool\n"
        "    def __init__(self, bounds):\n        raise OSError('no')\n",
        "mine.py:5: Mine cannot be made: OSError: no",
        150,
    ),
    (
        "from dataclasses import dataclass\nfrom epochal.language import Protocol, Bounds, bound\n"
        "@dataclass(frozen=True)\nclass B(Bounds):\n    budget: int = bound(1, help='money')\n"
        "class Mine(Protocol):\n    bounds: B\n    x: bool\n",
        "the bound 'budget' of Mine has the name of the option --budget",
        120,
    ),
    (
        "from epochal.language import LanguageError\nraise LanguageError('not like this', advice='Like that.')\n",
        "mine.py:2: not like this\n  Like that.",
        120,
    ),
]


@pytest.mark.parametrize(("text", "message", "code"), BROKEN, ids=[b[1][:50] for b in BROKEN])
def test_broken_files(text: str, message: str, code: int, folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    result = run("check", "mine.py:Mine", "--engine", "python")
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.exit_code == code


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("nowhere.py:Mine", "there is no file nowhere.py"),
        ("nowhere:Mine", "there is no file nowhere"),
        (".:Mine", ". is a folder"),
        ("notes.txt:Mine", "notes.txt is not a Python file"),
        (
            "counter.py",
            "counter.py needs the name of a protocol\n  Write counter.py:Name. The file defines Counter, Fine",
        ),
        ("one.py", "one.py needs the name of a protocol\n  Write one.py:Mine."),
        ("counter.py:Conter", "counter.py has no class Conter\n  Did you mean Counter?"),
    ],
)
def test_references_that_name_nothing(reference: str, message: str, counter: Path, folder: Path, run: Run) -> None:
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    (folder / "one.py").write_text(
        "from epochal.spec.classic.kip_320 import Kip320\nclass Mine(Kip320): pass\n", encoding="utf-8"
    )
    result = run("show", reference)
    assert message in result.stderr
    assert result.exit_code == 150


def test_a_user_protocol_is_shown_with_its_own_bounds(counter: Path, run: Run) -> None:
    result = run("show", "counter.py:Counter", "--most", "5")
    assert result.exit_code == 0
    assert "  --most      5        3  1 to 9   the greatest value\n" in result.stdout
    assert '  grow()  [1 choice, counter.py:21]\n      "The counter grows"\n      One more.\n' in result.stdout
    assert "  small  invariant          counter.py:32  The counter stays below two.\n" in result.stdout


def test_a_protocol_without_a_name_is_called_as_it_was_asked_for(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(
        'from epochal.spec.classic.async_isr import AsyncIsr\nclass Mine(AsyncIsr):\n    """Mine."""\n',
        encoding="utf-8",
    )
    assert run("show", "mine.py:Mine").stdout.startswith("mine.py:Mine\n  Mine.\n")


def test_siblings_can_be_imported_and_nothing_is_written_or_printed(folder: Path, run: Run) -> None:
    package = folder / "specs"
    package.mkdir()
    (package / "helper_of_mine.py").write_text("LIMIT = 1\nprint('noise')\n", encoding="utf-8")
    (package / "mine.py").write_text(
        "from helper_of_mine import LIMIT\nfrom epochal.spec.classic.kip_320 import Kip320\nclass Mine(Kip320): pass\n",
        encoding="utf-8",
    )
    before = sys.dont_write_bytecode
    result = run("show", "specs/mine.py:Mine")
    assert result.exit_code == 0
    assert "noise" not in result.stdout
    assert "noise" in result.stderr
    assert sorted(p.name for p in package.iterdir()) == ["helper_of_mine.py", "mine.py"]
    assert sys.dont_write_bytecode == before


def test_a_file_that_is_named_like_a_module_does_not_replace_it(folder: Path, run: Run) -> None:
    (folder / "json.py").write_text(
        "from epochal.spec.classic.async_isr import AsyncIsr\nclass Mine(AsyncIsr): pass\n", encoding="utf-8"
    )
    result = run("check", "json.py:Mine", "--replicas", "1", "--engine", "python", "--format", "json")
    assert result.exit_code == 21, result.output
    import json

    assert json.loads(result.stdout)["protocol"] == "json.py:Mine"


def test_a_rule_that_ends_the_program_is_no_success(counter: Path, folder: Path, run: Run) -> None:
    (folder / "quits.py").write_text(
        "import sys\nfrom counter import Fine\nclass Quits(Fine):\n    def grow(self):\n        sys.exit(0)\n",
        encoding="utf-8",
    )
    result = run("check", "quits.py:Quits", "--engine", "python")
    assert result.exit_code == 120
    assert "quits.py:5: sys cannot be used in a rule: the module sys is not part of the language" in result.stderr


def test_what_a_file_does_to_the_interpreter_is_taken_back(counter: Path, folder: Path, run: Run) -> None:
    """Streams closed, modules forgotten, a recursion limit that nothing can live with: the check goes on."""
    (folder / "vandal.py").write_text(
        "import sys\nfrom counter import Fine\nclass Mine(Fine): pass\n"
        "sys.modules.clear()\nsys.stderr = sys.stdout = None\nsys.setrecursionlimit(150)\n",
        encoding="utf-8",
    )
    code = "import sys; from epochal.cli.main import main; main(['check', 'vandal.py:Mine', '--engine', 'python'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 22 and done.stderr == ""
    assert done.stdout.startswith("vandal.py:Mine: nothing is violated within these bounds")


def test_a_closed_stderr_is_opened_again(folder: Path) -> None:
    (folder / "closing.py").write_text("import sys\nsys.stdout.close()\nraise ValueError('no')\n", encoding="utf-8")
    code = "from epochal.cli.main import main; main(['show', 'closing.py:Mine'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stderr == "epochal: closing.py:3: the file fails while it is imported: ValueError: no\n"
    assert done.returncode == 150


# The error boundary: every exception has a code and one clear message.

LINE = SourceLine("spec/x.py", 7)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (LoadError("no such", LINE, "Write it."), 150, "spec/x.py:7: no such\n  Write it."),
        (LanguageError("a while", LINE), 120, "spec/x.py:7: a while"),
        (EvaluationError("outside", LINE), 75, "spec/x.py:7: outside"),
        (BoundsError((Given("log_size", 0), ": too few")), 2, "--log-size 0: too few"),
        (BoundsError((Given("elr", False), " with ", Given("kafka"))), 2, "--no-elr with --kafka"),
        (TraceError("cut", "Copy it whole."), 2, "cut\n  Copy it whole."),
        (ExpectationMissed("gone"), 21, "gone"),
        (MemoryError(), 153, "memory ran out.\n  Use smaller bounds"),
        (OSError(28, "No space left on device", "out/x"), 153, "out/x: No space left on device.\n  Check that"),
        (OSError("odd"), 153, "odd.\n"),
        (
            RuntimeError("can't start new thread"),
            153,
            "the system starts no new thread: a limit",
        ),
        (BaseException("base"), 1, "internal error: BaseException: base"),
        (ValueError("what"), 1, "internal error: ValueError: what\n  This is a bug in Epochal."),
        (RecursionError("deep"), 1, "internal error: RecursionError: deep"),
        (click.UsageError("Bad thing"), 2, "bad thing"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_exceptions_become_messages(
    error: BaseException, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert described(error)[0] == code
    assert described(error)[1].startswith(message)

    def fail() -> None:
        raise error

    assert guarded(fail) == code
    shown = capsys.readouterr()
    assert shown.err.startswith(f"epochal: {message}")
    assert "Traceback" not in shown.err


def test_the_traceback_is_shown_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ValueError("what")

    monkeypatch.setenv("EPOCHAL_DEBUG", "1")
    assert guarded(fail) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_ctrl_c_outside_a_search_exits_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise KeyboardInterrupt

    assert guarded(fail) == 130
    assert capsys.readouterr().err == "epochal: interrupted\n"


def test_every_code_that_is_used_is_explained(run: Run) -> None:
    from epochal.exit_codes import ExitCode

    explained = {int(code) for code in ExitCode}
    assert explained >= {0, 1, 2, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 75, 120, 150, 151, 153}
    for code in explained:
        result = run("explain", str(code))
        assert result.exit_code == 0
        assert result.stdout.startswith(f"{code}: ")
    listed = run("explain").stdout
    assert all(f"{code}  " in listed for code in explained)


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "epochal.cli.main", *arguments]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    for arguments in (("show", "kip-320"), ("check", "--help"), ("explain",)):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(command(*arguments), stdout=writing, stderr=subprocess.PIPE, env=ENVIRONMENT)
        os.close(writing)
        assert done.stderr == b""
        assert done.returncode == 141


def test_shells_can_complete_protocols_and_options(tmp_path: Path) -> None:
    def completed(words: str) -> list[str]:
        asked = {"_EPOCHAL_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        done = subprocess.run(command(), env=ENVIRONMENT | asked, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert "plain,kip-320-m2" in completed("epochal check kip-3")
    assert "plain,--all-violations" in completed("epochal check kip-320 --all")
    assert "plain,--max-epoch" in completed("epochal check kip-320 --max-")
    assert "plain,--acks" in completed("epochal check kraft --ac")
    assert "plain,--metadata-lag" in completed("epochal guarantees --meta")
    mine = tmp_path / "mine.py"
    mine.write_text("open('ran', 'w').close()\n")
    assert not any(completed(f"epochal check {mine}:Mine --max-epo"))
    assert not (tmp_path / "ran").exists(), "a key of the shell runs no file"
    assert "plain,catalogue" in completed("epochal c")
    assert "plain,counterexamples" not in completed("epochal c")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command("list"), stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True)
    assert done.stderr.startswith("epochal: No space left on device.\n")
    assert done.returncode == 153


def test_the_module_and_the_package_are_the_same_command() -> None:
    shown = [
        subprocess.run([sys.executable, "-m", name, "list"], env=ENVIRONMENT, capture_output=True, check=True).stdout
        for name in ("epochal", "epochal.cli.main")
    ]
    assert shown[0] == shown[1]
    assert b"kip-320-m3" in shown[0]


def test_without_llvmlite_the_reference_engine_still_works() -> None:
    def checked(engine: str) -> subprocess.CompletedProcess[str]:
        arguments = ["check", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--engine", engine]
        code = f"import sys; sys.modules['llvmlite'] = None; from epochal.cli.main import main; main({arguments})"
        return subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)

    native = checked("native")
    assert native.returncode == 153
    assert native.stderr.startswith("epochal: the native engine cannot be loaded: ")
    assert native.stderr.endswith("or use the slow reference engine: --engine python.\n")
    python = checked("python")
    assert python.returncode == 12
    assert "1 trace replayed step by step in: python (not native: the native engine cannot be" in python.stdout


def test_doctor_finds_this_machine_fit(run: Run) -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for subject in ("Python", "llvmlite", "processors", "memory", "temporary folder", "working folder", "cache folder"):
        assert f"  ok  {subject} " in result.stdout


def test_doctor_names_what_is_missing_and_what_to_do(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    result = run("doctor")
    assert result.exit_code == 153
    assert "PROBLEM  llvmlite" in result.stdout
    assert "llvmlite: pip install llvmlite; meanwhile use --engine python." in result.stdout


def test_doctor_lists_what_lockstep_needs_and_misses_none_of_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "4.4.0").mkdir()
    result = run("doctor", env={"EPOCHAL_KAFKA_JARS": str(tmp_path)})
    assert result.exit_code == 0, result.output
    assert re.search(r"  ok  JDK  .*; (what lockstep compiles and runs|only lockstep needs one)\n", result.stdout)
    said = f"  ok  Kafka's jars      4.4.0 in {tmp_path}; no --fix: fixes are made with Javassist, and {tmp_path}"
    assert said in result.stdout
    none = run("doctor", env={"EPOCHAL_KAFKA_JARS": str(tmp_path / "none")})
    assert none.exit_code == 0
    assert f"  ok  Kafka's jars      none in {tmp_path / 'none'}; lockstep needs some: mvn -q " in none.stdout


def test_doctor_says_whether_there_is_a_cache(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert (
        f"  ok  cache folder      {folder} can be made" in run("doctor", env={"EPOCHAL_CACHE_DIR": str(folder)}).stdout
    )
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    result = run("doctor", env={"EPOCHAL_CACHE_DIR": str(folder)})
    assert result.exit_code == 153
    assert f"PROBLEM  cache folder      {folder} can be written by others (mode 777)" in result.stdout
    assert "cache folder: Make it yours alone (chmod 700), or set EPOCHAL_CACHE_DIR" in result.stdout
    (tmp_path / "file").touch()
    result = run("doctor", env={"EPOCHAL_CACHE_DIR": str(tmp_path / "file")})
    assert result.exit_code == 0
    assert f"  ok  cache folder      none, as {tmp_path / 'file'} cannot be written: Not a directory" in result.stdout


def test_list_names_every_registered_protocol(run: Run) -> None:
    from epochal.spec.registry import REGISTRY

    lines = run("list").stdout.partition("\n\n")[2].splitlines()
    named = [line.split()[0] for line in lines if line.startswith("  ")]
    assert sorted(named) == sorted(REGISTRY)
    assert all(len(line.split()) > 3 for line in lines if line.startswith("  "))


EARLY = """
import importlib.abc, runpy, sys

class Pressed(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
sys.argv = ["epochal", "list"]
runpy.run_module("epochal", run_name="__main__")
"""


def test_ctrl_c_is_heeded_while_modules_are_imported() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (130, "epochal: interrupted\n", "")


# Every mistake a user can make has one clear message, the documented exit code and no traceback.

MISTAKES = [
    ("chek kip-320", 2, "no such command 'chek'. Did you mean check?"),
    ("frobnicate", 2, "no such command 'frobnicate'. Known commands: list, new, show, check"),
    ("trace shwo x", 2, "no such command 'shwo'. Did you mean show?"),
    ("check", 2, "missing argument 'PROTOCOL'"),
    ("check kip320", 150, "no protocol is named 'kip320'\n  Did you mean kip-320?"),
    ("check paxos", 150, "Registered: truncate-to-hw, kip-101"),
    ("check kip-320 --replica 3", 2, "no such option --replica. Did you mean --replicas?"),
    ("check --all-violation kip-320", 2, "no such option --all-violation. Did you mean --all-violations?"),
    ("check async-isr --nodes 2", 2, "async-isr has no option --nodes; its bounds are --replicas, --max-offset"),
    ("check kip-320 --replicas three", 2, "--replicas must be a whole number, not 'three'"),
    ("check kip-320 --replicas 0", 2, "--replicas 0: the number of replicas must be at least 1"),
    ("check kip-320 --replicas -1", 2, "--replicas -1: the number of replicas must be at least 1"),
    ("check kip-320 --log-size 1000000", 2, "must be at most 8 (each offset multiplies the number of states)"),
    ("check --max-epoch=99 kip-320", 2, "--max-epoch 99: the greatest leader epoch must be at most 8"),
    ("check kip-320 --replicas 9" + "9" * 5000, 2, "--replicas must be a whole number"),
    ("check kip-320 --property strong", 2, "kip-320 has no property 'strong'. Did you mean strong_isr?"),
    ("check kip-320 --property xyzzy", 2, "Known properties: weak_isr, strong_isr, leader_in_isr"),
    ("check kip-320 --engine tlc", 2, "'tlc' is not one of 'auto', 'native', 'spark', 'python'"),
    ("check kip-320 --budget soon", 2, "'soon' is not a duration. Write 30s, 5m or 2h."),
    ("check kip-320 --budget 0s", 2, "'0s' is not a duration"),
    ("check kip-320 --max-memory lots", 2, "'lots' is not a size. Write 512M or 6G."),
    ("check kip-320 --max-states 0", 2, "0 is not in the range x>=1"),
    ("check kip-320 extra", 2, "unexpected extra argument (extra)"),
    ("show", 2, "missing argument 'PROTOCOL'"),
    ("simulate kip-320 --runs 0", 2, "0 is not in the range x>=1"),
    ("simulate kip-320 --seed x", 2, "'x' is not a valid integer"),
    ("replay nothing.itf.json", 2, "File 'nothing.itf.json' does not exist"),
    ("replay .", 2, "File '.' is a directory"),
    ("trace export nothing.itf.json --to mermaid", 2, "does not exist"),
    ("explain 99", 2, "'99' is not an exit code of epochal. The codes are 0, 1, 2"),
    ("explain twelve", 2, "'twelve' is no exit code, property, action, lemma, setting, bound,"),
]


@pytest.mark.parametrize(("command", "code", "message"), MISTAKES, ids=[m[0][:40] for m in MISTAKES])
def test_mistakes(command: str, code: int, message: str, run: Run) -> None:
    result = run(*command.split())
    assert message in result.stderr
    assert result.stderr.startswith("epochal: ")
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert result.exit_code == code


def test_options_may_stand_before_the_protocol(run: Run) -> None:
    before = run("show", "--replicas", "2", "--log-size=1", "kip-320")
    after = run("show", "kip-320", "--replicas", "2", "--log-size", "1")
    assert before.exit_code == 0
    assert before.stdout == after.stdout
    assert "--log-size       1        2" in before.stdout


def test_usage_errors_name_the_help(run: Run) -> None:
    assert "Try 'epochal check --help'." in run("check", "kip-320", "--engine", "tlc").stderr


def test_a_damaged_trace_is_refused(folder: Path, run: Run) -> None:
    (folder / "cut.itf.json").write_text('{"vars": ["x"], "states": [', encoding="utf-8")
    result = run("replay", "cut.itf.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("epochal: cut.itf.json: the file is not JSON")


def test_a_foreign_trace_is_refused(folder: Path, run: Run) -> None:
    (folder / "foreign.itf.json").write_text('{"vars": ["x"], "states": [{"x": 1}]}', encoding="utf-8")
    result = run("trace", "show", "foreign.itf.json")
    assert result.exit_code == 2
    assert "was not written by epochal" in result.stderr


@pytest.mark.parametrize("name", ["KAFKA-18990", "kraft-s99", "kip-329"])
def test_a_name_with_another_number_is_no_suggestion(run: Run, name: str) -> None:
    """A ticket that is not known is no other ticket, and no protocol of one."""
    told = run("show", name)
    assert told.exit_code != 0 and "Did you mean" not in told.stderr


# `epochal new`: the files it writes check at once, and nothing is written over.


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_written_checks_at_once(source: str, folder: Path, run: Run) -> None:
    assert tuple(FILES) == SOURCES == tuple(SMALL)
    written = run("new", "mine.py", "--from", source)
    assert written.exit_code == 0, written.output
    following = [line.strip() for line in written.stdout.splitlines() if line.startswith("  epochal")]
    for command in following:
        result = run(*command.split()[1:])
        assert result.exit_code == 0, result.output
    text = (folder / "mine.py").read_text()
    assert "FILE" not in text
    assert f"epochal check mine.py:{FILES[source][0]}" in text
    ruff = (sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "120", "--ignore", "F401", "mine.py")
    linted = subprocess.run(ruff, cwd=folder, capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout + linted.stderr


EXAMPLE = re.compile(r"^ {4}# (?=(?:@|def )).*\n(?: {4}#.*\n)*", re.MULTILINE)
"""A method that is written as a comment, to be uncommented."""


@pytest.mark.parametrize(("source", "methods"), [("kip-320", ["resign"]), ("kraft", ["may_lead"]), ("toy", [])])
def test_every_commented_example_works_when_it_is_none(source: str, methods: list[str], folder: Path, run: Run) -> None:
    """Nothing is missing that it needs: it is evaluated, and judged."""
    run("new", "mine.py", "--from", source)
    text = (folder / "mine.py").read_text()
    examples = EXAMPLE.findall(text)
    assert [re.findall(r"def (\w+)", one)[0] for one in examples] == methods
    for one in examples:
        (folder / "tried.py").write_text(text.replace(one, one.replace("    # ", "    ")))
        checked = run("check", f"tried.py:{FILES[source][0]}", *SMALL[source].split(), "--all-violations")
        assert checked.exit_code in (0, 12, 13, 21), checked.output + checked.stderr
        ruff = (sys.executable, "-m", "ruff", "check", "--isolated", "--line-length", "120", "tried.py")
        linted = subprocess.run(ruff, cwd=folder, capture_output=True, text=True, check=False)
        assert linted.returncode == 0, linted.stdout + linted.stderr


def test_the_guard_that_the_toy_says_to_take_away_matters(folder: Path, run: Run) -> None:
    run("new", "mine.py")
    text = (folder / "mine.py").read_text()
    (folder / "mine.py").write_text(text.replace("        require(self.holder is None)  # take", "        # take"))
    assert run("check", "mine.py:Lock").exit_code == 12


def test_nothing_is_written_over(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text("mine")
    result = run("new", "mine.py")
    assert (result.exit_code, (folder / "mine.py").read_text()) == (2, "mine")
    assert "exists already, and is not written over" in result.stderr
    assert "Write mine.py." in run("new", "mine").stderr
    assert run("new", "nowhere/mine.py").exit_code in (2, 153)
