"""Nothing that a specification, a configuration or a rule says is obeyed by a terminal or by GitHub Actions."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from epochal.checker.trace.formats import FORMATS
from epochal.cli.main import main
from tests.cli.conftest import Run

HOSTILE = '''
    import enum
    from typing import Annotated, ClassVar

    from epochal.language import Identifier, Identifiers, Integers, Map, Protocol, action, invariant

    Node = Annotated[Identifier, Identifiers("::error::n", 2)]
    Kind = enum.Enum("Kind", ["::error::one", "two"])


    class Bad(Protocol):
        """::error::class

        ::warning::second paragraph \\x1b[31m.
        """

        name: ClassVar[str] = "::error::bad"
        count: Map[Node, Annotated[int, Integers(0, 3)]]
        kind: Kind

        @action(by="node", to="::error::lane", says="::error::says {node}")
        def go(self, node: Node) -> None:
            """::error::action \\x1b]0;owned\\x07"""
            self.count[node] += 1

        @invariant
        def small(self) -> bool:
            """::error::invariant\\n\\n::warning::more \\x1b[31m."""
            return all(self.count[n] < 2 for n in self.count)
'''


@pytest.fixture
def hostile(folder: Path) -> str:
    """A specification whose texts look like commands, and a configuration with it."""
    (folder / "bad.py").write_text(textwrap.dedent(HOSTILE), encoding="utf-8")
    (folder / "epochal.toml").write_text('[model."::error::m"]\nprotocol = "bad.py:Bad"\n', encoding="utf-8")
    return "bad.py:Bad"


def harmless(result: Result) -> str:
    """The output, after it was found to have no control characters and no lines that begin with two colons."""
    for line in result.output.split("\n"):
        assert line.isprintable(), ascii(line)
        assert not line.lstrip().startswith("::"), line
    return result.output


COMMANDS = [
    ("check", "bad.py:Bad", "--engine", "python"),
    ("check", "bad.py:Bad", "--engine", "python", "--property", "small", "--all-violations", "--format", "json"),
    ("show", "bad.py:Bad"),
    ("simulate", "bad.py:Bad", "--engine", "python"),
    ("trace", "show"),
    ("replay",),
    *(("trace", "export", "--to", target) for target in FORMATS),
    *(("graph", "bad.py:Bad", "--format", target) for target in ("dot", "graphml", "json")),
    ("baseline", "update", "--engine", "python"),
    ("gate", "--baseline", "no such file\n::error::x\x1b[2J"),
]


def test_nothing_is_a_command_to_github(hostile: str, folder: Path, run: Any) -> None:
    """Of one run that was found, and of the specification."""
    run("check", hostile, "--engine", "python", "--out", "found")
    (trace,) = (folder / "found").glob("*.itf.json")
    for command in COMMANDS:
        of_a_run = (str(trace), "--protocol", hostile) if command[0] in ("trace", "replay") else ()
        result = run(*command, *of_a_run, env={"GITHUB_ACTIONS": "true"})
        assert "Traceback" not in result.output and result.exit_code != 1, command
        assert "error::" in harmless(result) or "replays exactly" in result.stdout, command


def test_the_gates_own_annotations_are_commands(hostile: str, folder: Path, run: Any) -> None:
    """And no others."""
    (folder / "epochal.lock.json").write_text('{"format": "epochal-lock", "version": 1, "models": {}}')
    result = run("gate", "--out", "report", env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "step.md"})
    assert result.exit_code == 12
    commands = [line for line in result.output.split("\n") if line.lstrip().startswith("::")]
    assert commands and all(re.match(r"::error (file=bad\.py,line=\d+,)?title=epochal%3A ", line) for line in commands)
    files = [path for path in (folder / "report").rglob("*") if path.is_file()]
    assert len(files) == 10
    for file in [*files, folder / "step.md"]:
        assert all(line.isprintable() for line in file.read_text(encoding="utf-8").split("\n")), file


@pytest.mark.parametrize("error", ["ValueError", "LanguageError"])
def test_what_a_file_raises_is_no_command(error: str, folder: Path, run: Any) -> None:
    advice = ", None, '::warning::'" if error == "LanguageError" else ""
    text = f"from epochal.language import LanguageError\n\nraise {error}('x\\n::error::y\\x1b[2J'{advice})\n"
    (folder / "raises.py").write_text(text, encoding="utf-8")
    result = run("check", "raises.py:P", env={"GITHUB_ACTIONS": "true"})
    assert "error::y?[2J" in harmless(result)
    assert result.exit_code in (120, 150)


def test_elsewhere_two_colons_are_two_colons(hostile: str, run: Any) -> None:
    result = run("check", hostile, "--engine", "python")
    assert result.stdout.startswith("::error::bad: small violated")
    assert all(line.isprintable() for line in result.output.split("\n"))


def test_the_exports_have_the_texts_as_they_are(hostile: str, folder: Path, run: Any) -> None:
    run("check", hostile, "--engine", "python", "--out", "found")
    (trace,) = (folder / "found").glob("*.itf.json")
    meta = json.loads(trace.read_text(encoding="utf-8"))["#meta"]
    assert meta["description"].endswith("::error::invariant ::warning::more ?[31m.")
    document = json.loads(trace.read_text(encoding="utf-8"))
    document["#meta"]["note"] = "::error::note\n::error::more"
    trace.write_text(json.dumps(document), encoding="utf-8")
    for command in (("show",), ("export", "--to", "markdown")):
        told = run("trace", *command, str(trace), "--protocol", hostile, env={"GITHUB_ACTIONS": "true"})
        assert ": :error::note" in harmless(told)
    diagram = run("trace", "export", str(trace), "--to", "sequencediagram", "--protocol", hostile).stdout
    assert 'participant "::error::n1"\n' in diagram


@pytest.mark.parametrize(
    "table",
    [
        '[model."a\\nb"]\nprotocol = "kip-320"\n',
        '[model.a]\nprotocol = "a.py:\\u001b[2J"\n',
        '[model.a]\nprotocol = "kraft"\nconfiguration = { kafka = "3\\n::error::" }\n',
        '[[code_links]]\nfiles = ["a\\tb"]\nactions = []\n',
        'engine = "native\\n"\n',
    ],
)
def test_a_configuration_has_no_control_characters(table: str, folder: Path, run: Any) -> None:
    (folder / "epochal.toml").write_text(table, encoding="utf-8")
    result = run("gate")
    assert result.exit_code == 151
    assert "has line ends or control characters.\n  Reports show it: write one line of text.\n" in harmless(result)


def test_a_reference_has_none(run: Any) -> None:
    result = run("check", "a\n::error::b.py:P")
    assert result.exit_code == 150
    assert result.stderr == (
        "epochal: 'a\\n::error::b.py:P' is no name of a protocol: it has characters that cannot be shown\n"
    )


# What a report says to type next asks the same question: whatever decided the answer is in it.

WISH = """
from typing import Annotated

from epochal.language import Capacity, Integers, Log, Protocol, action, invariant, leads_to, require

Small = Annotated[int, Integers(0, 3)]


class Wish(Protocol):
    a: Small
    log: Annotated[Log[Small], Capacity(3)]

    @action(fair="weak")
    def inc(self) -> None:
        require(self.a < 3)
        self.a += 1

    @leads_to(fair=("inc",), optional=True)
    def x(self) -> tuple[bool, bool]:
        return self.log[self.a] > 0, self.a == 3

    @invariant
    def small(self) -> bool:
        return self.a < 4
"""


def typed(report: str) -> list[str]:
    """The commands below Next, in words."""
    lines = report.partition("\nNext\n")[2].splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith("  epochal ")]


def test_a_wish_that_fails_fails_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wish.py").write_text(WISH)
    first = CliRunner().invoke(main, ["check", "wish.py:Wish", "--wishes"])
    (command,) = typed(first.stdout)
    again = CliRunner().invoke(main, command.split()[1:])
    assert (first.exit_code, again.exit_code) == (75, 75)


def test_after_a_simulation_the_question_of_ones_own_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wish.py").write_text(WISH)
    Path("q.py").write_text("def low(self):\n    return self.a < 2\n")
    first = CliRunner().invoke(main, ["simulate", "wish.py:Wish", "--property", "q.py:low", "--runs", "20"])
    (command,) = typed(first.stdout)
    again = CliRunner().invoke(main, command.split()[1:])
    assert (first.exit_code, again.exit_code) == (12, 12)


# `epochal simulate`: random runs, their coverage and what they found.

SMALL = ("truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--engine", "python")


def test_a_seed_gives_the_same_bytes_and_another_seed_others(run: Run) -> None:
    """And the same runs in both readings."""

    def document(seed: str, *engine: str) -> dict[str, Any]:
        asked = ("--runs", "20", "--depth", "15", "--seed", seed, "--format", "json", *engine)
        result = run("simulate", *SMALL, *asked)
        found: dict[str, Any] = json.loads(result.stdout)
        assert found.pop("wall_seconds") >= 0
        assert found["exit_code"] == result.exit_code
        return found

    first = document("7")
    assert document("7") == first
    assert document("8") != first
    native = document("7", "--engine", "native")
    assert native["engine"] == "native"
    for key in ("steps", "distinct_states", "dead_ends", "longest", "actions"):
        assert native[key] == first[key]
    assert (first["seed"], first["runs"], first["depth"], first["engine"]) == (7, 20, 15, "python")
    assert sum(action["steps"] for action in first["actions"]) == first["steps"] <= 20 * 15
    assert 1 < first["distinct_states"] <= first["steps"] + 1


def test_a_violation_is_told_with_the_seed_that_found_it(counter: Path, run: Run) -> None:
    arguments = ("simulate", "counter.py:Counter", "--runs", "3", "--depth", "9", "--seed", "5", "--engine", "python")
    result = run(*arguments)
    assert result.exit_code == 12
    assert result.stdout.startswith("counter: small violated\n  bounds: --most 3\n")
    assert "  VIOLATED  small  invariant" in result.stdout
    assert "python, seed 5" in result.stdout
    assert "Warning: never taken in these runs: never." in result.stdout
    assert "counter.py:Counter: small is violated (3 states; most 3)" in result.stdout
    assert "No step of it can be left out; a run of other steps may be shorter." in result.stdout
    assert "epochal check counter.py:Counter --property small  # finds a shortest run" in result.stdout
    document = json.loads(run(*arguments, "--format", "json").stdout)
    trace = next(one["trace"] for one in document["properties"] if one["id"] == "small")
    assert trace["#meta"]["seed"] == 5
    assert trace["#meta"]["shortest"] is False


def test_progress_counts_runs(counter: Path, run: Run) -> None:
    result = run("simulate", "counter.py:Fine", "--runs", "2", "--engine", "python", "--progress", "json")
    first = json.loads(result.stderr.splitlines()[0])
    assert (first["runs"], first["runs_left"]) == (1, 1)
    assert "depth" not in first


def test_runs_that_come_to_a_dead_end_are_counted(counter: Path, run: Run) -> None:
    """A line of four states is one run, after which none is left; runs that are asked for end with it."""
    asked = ("simulate", "counter.py:Fine", "--depth", "9", "--engine", "python")
    for more in ((), ("--runs", "4")):
        result = run(*asked, *more, "--format", "json")
        document = json.loads(result.stdout)
        assert result.exit_code == 0
        assert (document["runs"], document["dead_ends"], document["longest"], document["steps"]) == (1, 1, 3, 3)
        assert (document["distinct_states"], document["all_seen"], document["cut"]) == (4, True, "")
    text = run(*asked).stdout
    assert text.startswith("fine: nothing is violated in these runs, which proves nothing about others\n")
    assert "  terminal states  1 run ended in a state without a next step" in text
    assert "  states           4 distinct, all that there are" in text
    assert "  grow        3  100.0 %\n" in text
    assert "all that there are" not in run(*asked[:-3], "2", "--engine", "python").stdout


def test_a_rule_that_fails_exits_with_75(counter: Path, run: Run) -> None:
    result = run("simulate", "counter.py:Overflow", "--runs", "4", "--depth", "9", "--engine", "python")
    assert result.exit_code == 75
    assert "value: 4 is outside 0..3" in result.stdout


def test_runs_are_written_as_test_vectors(run: Run, folder: Path) -> None:
    """The first that differ, the same for the same seed and whatever the engine; each can be replayed."""
    asked = ("simulate", "truncate-to-hw", "--replicas", "2", "--max-epoch", "1", "--runs", "30", "--depth", "8")
    for engine in ("python", "native"):
        result = run(*asked, "--seed", "3", "--traces", "4", "--engine", engine, "--out", engine)
        assert result.exit_code in (0, 12), result.output
    written = sorted((folder / "python").glob("*-run-*.itf.json"))
    assert [path.name for path in written] == [f"truncate-to-hw-run-{n}.itf.json" for n in (1, 2, 3, 4)]
    runs = [json.loads(path.read_text())["states"] for path in written]
    assert len({json.dumps(states) for states in runs}) == 4
    for path, states in zip(written, runs, strict=True):
        assert json.loads((folder / "native" / path.name).read_text())["states"] == states
        assert f"  python/{path.name}\n" not in result.stdout
        assert f"  native/{path.name}\n" in result.stdout
        assert not path.with_name(path.name.replace(".itf.json", ".html")).exists()
    assert run("replay", *map(str, written)).exit_code == 0


def test_as_many_runs_as_there_are(run: Run, folder: Path) -> None:
    run("simulate", *SMALL, "--runs", "50", "--depth", "1", "--traces", "50", "--out", "found")
    written = list((folder / "found").glob("*-run-*.itf.json"))
    assert 1 < len(written) < 50


def test_after_a_violation_no_more_runs_are_taken_than_asked_for(run: Run) -> None:
    """The report and the document say why the runs ended, and which promises they say nothing about."""
    result = run("simulate", "truncate-to-hw", "--seed", "3")
    assert result.exit_code == 12
    assert "in all; after a violation no more, unless --runs asks for them\n" in result.stdout
    assert "Not checked\n  - liveness properties, which epochal check checks (" in result.stdout
    document = json.loads(run("simulate", "truncate-to-hw", "--seed", "3", "--format", "json").stdout)
    assert document["ended_after_violation"] and document["distinct_states"] < 60_000
    assert "follower_joins_isr" in document["not_checked"]


def test_runs_to_write_need_a_place(run: Run) -> None:
    result = run("simulate", *SMALL, "--traces", "3")
    assert result.exit_code == 2
    assert "Add --out DIR." in result.stderr
