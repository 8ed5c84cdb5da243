"""What the README shows is what the tool does."""

from __future__ import annotations

import re
import shlex
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.main import main
from spec.registry import REGISTRY

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


def test_the_variant_is_found_wanting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's variant, in a file of the user's, is checked from outside the repository."""
    written = re.search(r"<!-- file: (\S+) -->\n```python\n(.*?)```", README, re.DOTALL)
    command = re.search(r"<!-- run: (.+?) ; exit (\d+) -->\n```sh\n(.+?)\n```", README, re.DOTALL)
    assert written is not None and command is not None and command[1] == command[3]
    (tmp_path / written[1]).write_text(written[2], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    output = run(command[1], int(command[2]))
    assert re.search(r"VIOLATED\s+weak_isr\s+invariant\s+13 states", output)


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
    assert [name for name, _, _ in rows] == ["quorum", "zookeeper", "zookeeper-lost-disk", "zookeeper-alter-isr"]
    for name, states, depth in rows:
        output = run(f"epochal check {name}", 0)
        assert f"{states} distinct" in output and f"depth {depth}" in output
    families = [name for name in REGISTRY if name.startswith(("quorum", "zookeeper")) and not name.endswith("-proof")]
    assert all(f"`{name}`" in README for name in families)


def test_every_command_named_exists() -> None:
    """No command of the README is a thing of the past."""
    named = set(re.findall(r"\bepochal ([a-z]+)\b", README))
    assert named <= set(main.list_commands(None)), named  # type: ignore[arg-type]
