"""What the README shows is what the tool does."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from epochal.cli.main import main
from epochal.spec.registry import REGISTRY

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def run(command: str, expected: int) -> str:
    """Run an `epochal` command as typed; its output."""
    words = shlex.split(command)
    assert words[0] == "epochal"
    done = CliRunner().invoke(main, words[1:], prog_name="epochal")
    assert done.exit_code == expected, done.output
    return done.stdout


def test_the_story_is_what_is_printed() -> None:
    """The counterexample of the README is the tool's own output."""
    found = re.search(r"<!-- story: (.+?) -->\n```text\n(.*?)```", README, re.DOTALL)
    assert found is not None
    printed = run(found[1], 12)
    story = printed.split("Counterexample\n", 1)[1].split("\nNext\n", 1)[0]
    assert textwrap.dedent(story).strip() == found[2].strip()


def commands() -> list[tuple[str, int, str]]:
    """The commands that are marked as to be run: as marked, the exit code, and as the reader sees them."""
    pattern = r"<!-- run: (.+?) ; exit (\d+) -->\n *```sh\n *(.+?)\n *```"
    return [(marked, int(code), typed) for marked, code, typed in re.findall(pattern, README)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder outside the repository, with the files that the README has the reader write."""
    for name, content in re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", README, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("marked", "code", "typed"), commands(), ids=[typed for _, _, typed in commands()])
def test_commands_work_as_typed(marked: str, code: int, typed: str, folder: Path) -> None:
    """Every command that the README shows with its outcome has it."""
    assert marked == typed
    assert run(typed, code)


def test_every_proof_is_among_them() -> None:
    """The chapter on proofs shows no command that is not run here."""
    chapter = README.split("## Proving a protocol", 1)[1].split("\n## ", 1)[0]
    shown = re.findall(r"```sh\n *(.+?)\n *```", chapter)
    assert len(shown) == 5
    assert set(shown) <= {typed for _, _, typed in commands()}


def test_the_variant_is_found_wanting(folder: Path) -> None:
    """The README's variant, in a file of the user's, is checked from outside the repository."""
    output = run("epochal check mine.py:MyVariant --max-epoch 2", 12)
    assert re.search(r"VIOLATED\s+weak_isr\s+invariant\s+13 states", output)


def test_a_guess_falls_and_another_stays(folder: Path) -> None:
    """What the README says of the two candidates."""
    output = run("epochal prove kip-320-proof --replicas 2 --max-epoch 1 --houdini guesses.py", 0)
    assert re.search(r"all_have_the_same_end +broken by LeaderWrite\(b1\)", output)
    lemmas = output.split("\nLemmas\n", 1)[1].split("\nFallen\n", 1)[0]
    assert "nobody_is_ahead_of_the_controller" in lemmas and "all_have_the_same_end" not in lemmas


def test_the_table_of_sizes_is_true() -> None:
    """The state counts and depths of the README."""
    rows = re.findall(r"^\| (\d)/(\d)/(\d)/(\d)[^|]*\| ([\d,]+) \| (\d+) \|$", README, re.MULTILINE)
    assert len(rows) == 4
    for *bounds, states, depth in rows[:2]:
        names = ("--replicas", "--log-size", "--records", "--max-epoch")
        options = " ".join(f"{name} {value}" for name, value in zip(names, bounds, strict=True))
        output = run(f"epochal check kip-320 {options}", 0)
        assert f"{states} distinct" in output and f"depth {depth}" in output


def test_the_table_of_the_controllers_is_true() -> None:
    """The state counts and depths of the README at the default bounds, and the faulty protocols that it names."""
    rows = re.findall(r"^\| `([a-z-]+)` \| ([\d,]+) \| (\d+) \| [\d.]+ \|$", README, re.MULTILINE)
    assert [name for name, _, _ in rows] == [
        "quorum",
        "quorum-change-log",
        "zookeeper",
        "zookeeper-lost-disk",
        "zookeeper-alter-isr",
    ]
    for name, states, depth in rows:
        output = run(f"epochal check {name}", 0)
        assert f"{states} distinct" in output and f"depth {depth}" in output
    families = [name for name in REGISTRY if name.startswith(("quorum", "zookeeper")) and not name.endswith("-proof")]
    assert all(f"`{name}`" in README for name in families)


def test_every_command_named_exists() -> None:
    """No command of the README is a thing of the past."""
    named = set(re.findall(r"\bepochal ([a-z]+)\b", README))
    assert named <= set(main.list_commands(None)), named  # type: ignore[arg-type]


@pytest.mark.long
def test_the_guarantees_are_what_is_printed() -> None:
    """The table of the settings that everybody recommends is the tool's own output."""
    found = re.search(r"<!-- matrix: (.+?) -->\n```text\n(.*?)```", README, re.DOTALL)
    assert found is not None
    printed = [line.rstrip() for line in run(found[1], 0).splitlines()]
    shown = found[2].rstrip("\n").split("\n")
    assert len(shown) == 4
    assert [line for line in shown if line not in printed] == []
