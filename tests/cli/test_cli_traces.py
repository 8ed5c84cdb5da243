"""`replay`, `trace show` and `trace export` on stored traces."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from epochal.cli.main import main
from tests.cli.conftest import Run

FORMATS = {
    "html": "<!DOCTYPE html>\n",
    "mermaid": "sequenceDiagram\n",
    "sequencediagram": "title truncate-to-hw",
    "plantuml": "@startuml\ntitle truncate-to-hw",
    "jira": "h3. truncate\\-to\\-hw: weak\\_isr is violated\n",
    "markdown": "# truncate-to-hw: weak_isr is violated\n",
    "dot": "digraph ",
}


pytestmark = pytest.mark.xdist_group("traces")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a search writes that finds a counterexample."""
    folder, bounds = tmp_path_factory.mktemp("traces"), ("--replicas", "2", "--max-epoch", "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        CliRunner().invoke(main, ["check", "truncate-to-hw", *bounds, "--engine", "python", "--out", "found"])
    return folder / "found"


@pytest.fixture
def stored(folder: Path, found: Path) -> Path:
    """A counterexample, found and written."""
    return Path(shutil.copytree(found, folder / "found")) / "truncate-to-hw-weak-isr.itf.json"


def test_show_tells_the_story(stored: Path, run: Run) -> None:
    result = run("trace", "show", str(stored))
    assert result.exit_code == 0
    assert result.stdout.startswith("truncate-to-hw: weak_isr is violated (9 states; replicas 2")


def test_all_fields_are_told_if_that_is_asked_for(stored: Path, run: Run) -> None:
    words, fields = run("trace", "show", str(stored)).stdout, run("trace", "show", str(stored), "--all-fields").stdout
    assert "b1: knows no leader; empty log" in words and "next_record" not in words
    assert "b1: log [], hw 0, epoch -1, leader -, isr {}" in fields and "next_record: 0 -> 1" in fields
    for target in [one for one in FORMATS if one != "html"]:  # a page has the source, too
        exported = [
            run("trace", "export", str(stored), "--to", target, *more).stdout for more in ([], ["--all-fields"])
        ]
        assert ["next_record" in text for text in exported] == [False, True]


def test_a_view_that_fails_is_a_wrong_specification(folder: Path, run: Run) -> None:
    (folder / "silent.py").write_text(
        "from epochal.language import *\n\n\nclass Silent(Protocol):\n    flag: bool\n\n"
        "    @action\n    def rise(self) -> None:\n        require(not self.flag)\n        self.flag = True\n\n"
        "    @invariant\n    def low(self) -> bool:\n        return not self.flag\n\n"
        "    @view(of='flag')\n    def flag_in_words(self) -> str:\n        return {False: 'low'}[self.flag]\n",
        encoding="utf-8",
    )
    result = run("check", "silent.py:Silent", "--engine", "python")
    assert result.exit_code == 120
    assert "silent.py:18: the view flag_in_words fails: KeyError: True\n" in result.stderr


@pytest.mark.parametrize("target", list(FORMATS))
def test_every_export_goes_to_stdout_or_to_a_file(target: str, stored: Path, folder: Path, run: Run) -> None:
    result = run("trace", "export", str(stored), "--to", target)
    assert result.exit_code == 0
    assert result.stdout.startswith(FORMATS[target])
    written = run("trace", "export", str(stored), "--to", target, "--out", "out.txt")
    assert (written.exit_code, written.stdout) == (0, "")
    assert (folder / "out.txt").read_text(encoding="utf-8") == result.stdout
    assert [p.name for p in folder.iterdir() if p.name.endswith(".tmp")] == []


def test_the_exports_of_the_command_are_those_of_the_library(run: Run) -> None:
    from epochal.checker.trace.formats import FORMATS as OFFERED

    assert set(OFFERED) == set(FORMATS)


def test_an_export_that_cannot_be_written_exits_with_153(stored: Path, run: Run) -> None:
    result = run("trace", "export", str(stored), "--to", "dot", "--out", "nowhere/out.dot")
    assert result.exit_code == 153
    assert result.stderr.startswith("epochal: nowhere/out.dot: nothing can be written there: No such file")


def test_an_unknown_format_lists_the_known_ones(stored: Path, run: Run) -> None:
    result = run("trace", "export", str(stored), "--to", "svg")
    assert result.exit_code == 2
    assert (
        "'svg' is not one of 'html', 'mermaid', 'plantuml', 'sequencediagram', 'markdown', 'jira', 'dot'"
        in result.stderr
    )
    assert "missing option '--to'" in run("trace", "export", str(stored)).stderr


def test_replay_says_that_every_step_is_possible(stored: Path, run: Run) -> None:
    result = run("replay", str(stored))
    assert result.exit_code == 0
    assert f"{stored}: replays exactly\n" in result.stdout
    assert "\n  python: every step is possible" in result.stdout
    assert "\n  native: every step is possible" in result.stdout


def test_replay_names_the_first_step_that_is_no_longer_possible(stored: Path, run: Run) -> None:
    document = json.loads(stored.read_text())
    document["#meta"]["protocol"] = "kip-320"
    stored.write_text(json.dumps(document))
    result = run("replay", str(stored))
    assert result.exit_code == 20
    assert f"{stored}: no longer replays\n" in result.stdout
    for reading in ("python", "native"):
        assert f"\n  {reading}: step 2, BecomeFollower(b1, b2, 0), is not possible in state 1\n" in result.stdout
    assert "spec/classic/kip_320.py:81: require(self.presumes_leadership(leader))\n" in result.stdout


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("hello", "the file is not JSON: line 1, column 1: Expecting value"),
        ("", "the file is empty"),
        ("{}", "the file is not in the Informal Trace Format"),
        ('{"vars": [], "states": [], "#meta": {"format": "ITF"}}', "#meta"),
    ],
)
def test_what_is_no_trace_is_no_run_of_another_protocol_either(content: str, said: str, folder: Path, run: Run) -> None:
    """It is told as without --against: the file is wrong, whatever it is replayed on."""
    (folder / "bad.itf.json").write_text(content)
    alone = run("replay", "bad.itf.json")
    against = run("replay", "bad.itf.json", "--against", "kip-320")
    assert alone.stderr.startswith(f"epochal: bad.itf.json: {said}")
    assert (against.exit_code, against.stderr) == (alone.exit_code, alone.stderr) == (2, alone.stderr)


def test_a_run_of_other_states_is_no_run_of_another_protocol(stored: Path, run: Run) -> None:
    result = run("replay", str(stored), "--against", "quorum")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"epochal: it is no run of quorum: {stored}: ")


def test_a_trace_of_a_protocol_that_is_gone_says_so(stored: Path, run: Run) -> None:
    claim(stored, "gone.py:Variant")
    result = run("replay", str(stored), "--protocol", "gone.py:Variant")
    assert result.exit_code == 150
    assert "there is no file gone.py" in result.stderr


COMMANDS = (
    ("replay", "{}"),
    ("trace", "show", "{}"),
    ("trace", "export", "{}", "--to", "dot"),
    ("bmc", "kip-320", "--length", "1", "--from", "{}"),
)


def claim(trace: Path, protocol: str) -> None:
    """Let a trace say that it is of this protocol."""
    document = json.loads(trace.read_text())
    document["#meta"]["protocol"] = protocol
    trace.write_text(json.dumps(document))


def having(command: tuple[str, ...], trace: Path) -> list[str]:
    """A command about a trace."""
    return [word.format(trace) for word in command]


@pytest.fixture
def evil(folder: Path) -> Path:
    """A file that leaves a mark when it is run, and defines a protocol."""
    file = folder / "evil.py"
    file.write_text(
        "from pathlib import Path\n"
        "from epochal.spec.classic.truncate_to_hw import TruncateToHw\n\n"
        "Path('PWNED').touch()\n\n\n"
        "class P(TruncateToHw):\n"
        "    name = 'p'\n"
    )
    return file


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[-2])
@pytest.mark.parametrize("named", ["evil.py:P", "./evil.py:P", "{}/evil.py:P", "evil.py", "evil.py:P --acks 1"])
def test_no_file_runs_because_a_trace_names_it(
    command: tuple[str, ...], named: str, stored: Path, evil: Path, folder: Path, run: Run
) -> None:
    claim(stored, named.format(folder))
    result = run(*having(command, stored))
    assert not (folder / "PWNED").exists()
    assert result.exit_code == 2
    name = named.format(folder).partition(" --")[0]
    assert result.stderr.startswith(
        f"epochal: {stored}: the trace is of {name}, which is no registered protocol; no file runs because a trace "
        "names it\n  "
    )
    advice = "Give a trace of PROTOCOL" if "bmc" in command else f"If you trust its file, name it: --protocol {name}\n"
    assert advice in result.stderr


@pytest.mark.parametrize("command", COMMANDS[:3], ids=lambda command: command[-2])
def test_a_trace_of_a_file_that_the_command_line_names(
    command: tuple[str, ...], stored: Path, evil: Path, folder: Path, run: Run
) -> None:
    """Wherever the file was when the trace was written; it is told as the user calls it."""
    claim(stored, "/home/somebody/models/old.py:P")
    result = run(*having(command, stored), "--protocol", "evil.py:P")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (folder / "PWNED").exists()
    assert "evil.py:P" in result.stdout
    assert "somebody" not in result.stdout


@pytest.mark.parametrize("command", COMMANDS[:3], ids=lambda command: command[-2])
@pytest.mark.parametrize("claimed", ["evil.py:Q", "kip-320", "P"])
def test_a_trace_of_another_protocol_than_the_one_named(
    command: tuple[str, ...], claimed: str, stored: Path, evil: Path, run: Run
) -> None:
    claim(stored, claimed)
    result = run(*having(command, stored), "--protocol", "evil.py:P", "--protocol", "kip-279")
    assert result.exit_code == 2
    assert result.stderr == (
        f"epochal: {stored}: the trace is of {claimed}, not of evil.py:P or kip-279\n"
        "  Name the protocol that it is of: --protocol FILE:NAME. To replay it on another: --against evil.py:P\n"
    )


def test_traces_of_several_protocols_are_replayed_at_once(stored: Path, evil: Path, folder: Path, run: Run) -> None:
    other = folder / "other.itf.json"
    other.write_text(stored.read_text())
    claim(other, "evil.py:P")
    result = run("replay", str(stored), "other.itf.json", "--protocol", "evil.py:P", "--protocol", "truncate-to-hw")
    assert result.exit_code == 0
    assert result.stdout.count("replays exactly") == 2


def test_an_export_says_how_to_replay_a_trace_of_a_file(stored: Path, evil: Path, run: Run) -> None:
    claim(stored, "evil.py:P")
    story = run("trace", "export", str(stored), "--to", "markdown", "--protocol", "evil.py:P").stdout
    assert f"\nepochal replay {stored} --protocol evil.py:P\n" in story


@pytest.mark.parametrize(
    ("claimed", "said"),
    [
        ("a b.py:P; touch x", "'a b.py:P; touch x'"),
        ("x" * 300 + ".py:P", "'" + "x" * 39 + ".."),
        ("\N{RIGHT-TO-LEFT OVERRIDE}yp.live:P", "#meta.protocol: '\\u202eyp.live:P' has control characters"),
        ("evil.py\n::error::x:P", "#meta.protocol: 'evil.py\\n::error::x:P' has control characters or several lines"),
        ("\x1b]0;x\x07.py:P", "#meta.protocol: '\\x1b]0;x\\x07.py:P' has control characters"),
        ("", "the trace is of ''"),
    ],
)
def test_what_a_trace_says_is_told_on_one_line_of_plain_text(claimed: str, said: str, stored: Path, run: Run) -> None:
    claim(stored, claimed)
    result = run("trace", "show", str(stored))
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) <= 2
    assert all(line.isprintable() for line in result.stderr.splitlines())
