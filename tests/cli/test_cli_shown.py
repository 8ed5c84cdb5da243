"""Nothing that a specification, a configuration or a rule says is obeyed by a terminal or by GitHub Actions."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from epochal.checker.trace.export.formats import FORMATS

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


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nothing_is_a_command_to_github(command: tuple[str, ...], hostile: str, folder: Path, run: Any) -> None:
    if command[0] in ("trace", "replay"):
        run("check", hostile, "--engine", "python", "--out", "found")
        (trace,) = (folder / "found").glob("*.itf.json")
        command = (*command, str(trace), "--protocol", hostile)
    result = run(*command, env={"GITHUB_ACTIONS": "true"})
    assert "Traceback" not in result.output and result.exit_code != 1
    assert "error::" in harmless(result) or "replays exactly" in result.stdout


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
