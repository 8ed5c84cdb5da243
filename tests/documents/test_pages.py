"""The pages under docs/: each example does what the page says. The same is done for the README (test_readme.py)."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from epochal.cli.app.command import CommandWithOthers
from epochal.cli.main import main
from epochal.spec.language.configurable import negation, option, settings_of
from epochal.spec.registry import REGISTRY, registered
from tests.documents.harness import ELSEWHERE, MARKS, ROOT, Block, blocks, commands, pages, run, written
from tests.each import for_each

PAGES = [page.relative_to(ROOT).as_posix() for page in pages()]
WITH_EXAMPLES = [name for name in PAGES[1:] if any(block.is_run for block in blocks(ROOT / name))]
LONG = [name for name in PAGES if any("long" in block.marks for block in blocks(ROOT / name))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder outside the repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_work_as_shown(name: str, folder: Path) -> None:
    written(ROOT / name, folder)
    assert "\n\n".join(map(str, run(ROOT / name, long=False))) == ""


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_long_examples_work_as_shown(name: str, folder: Path) -> None:
    written(ROOT / name, folder)
    assert "\n\n".join(map(str, run(ROOT / name, long=True))) == ""


@for_each("name", PAGES)
def test_marks_are_known_and_excerpts_have_a_reason(name: str) -> None:
    for block in blocks(ROOT / name):
        assert block.marks.keys() <= MARKS | ELSEWHERE | {"summary"}, block.place
        assert block.marks.get("excerpt", "a reason"), block.place
        if "source" in block.marks:
            assert block.text == (ROOT / block.marks["source"]).read_text(encoding="utf-8"), block.place


def named_commands(block: Block) -> list[str]:
    """The commands of `epochal` in a block that is not run."""
    lines = block.text.replace("\\\n", " ").splitlines()
    found = [line.removeprefix("$ ").strip() for line in lines]
    return [line.split("  #")[0] for line in found if line.startswith("epochal ")]


def options_of(words: list[str]) -> set[str]:
    """The options of a command and its subcommands, with the bounds and words of the protocol that it names."""
    group: click.Command = main
    found: set[str] = set()
    context = click.Context(group)
    while isinstance(group, click.Group) and words and (below := group.get_command(context, words[0])) is not None:
        group, words = below, words[1:]
    assert not isinstance(group, click.Group), f"no such command: {words}"
    if isinstance(group, CommandWithOthers) and words and words[0] in group.commands:
        group = group.commands[words[0]]
    for parameter in group.params:
        found |= {*parameter.opts, *parameter.secondary_opts}
    return found


def test_commands_that_are_not_run_exist() -> None:
    """What blocks of `sh` and excerpts name: a command, and options that it or some protocol has."""
    kinds = [registered(name) for name in REGISTRY]
    of_protocols = {option(name) for kind in kinds for name in kind.bounds_type().declared()}
    of_protocols |= {one for kind in kinds for name in settings_of(kind) for one in (option(name), negation(name))}
    for name in PAGES:
        for block in blocks(ROOT / name):
            if block.language == "sh" or (block.language == "console" and "excerpt" in block.marks):
                for command in named_commands(block):
                    words = command.split()[1:]
                    known = options_of(words) | of_protocols | {"--version", "--help"}
                    used = {word.split("=")[0].strip("'") for word in words if word.lstrip("'").startswith("--")}
                    unknown = {one for one in used if not {one, one.replace("--no-", "--", 1)} & known}
                    assert not unknown, f"{block.place}: {sorted(unknown)}"


def test_a_difference_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong output, a wrong exit code and a wrong print are each told with the place."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "no-such-page.md"
    monkeypatch.setattr(
        type(page),
        "read_text",
        lambda self, encoding="utf-8": (
            "```console\n$ epochal explain 12\nsomething else\n```\n"
            "<!-- exit: 3 -->\n```console\n$ epochal explain 12\n```\n"
            "```python\nprint(1)\n```\n<!-- prints -->\n```text\n2\n```\n"
            "```console\n$ epochal explain 12\n12: ...\n...\n```\n"
        ),
    )
    told = [str(difference) for difference in run(page, long=False)]
    assert [one.split(":")[1] for one in told] == ["2", "7", "14"], told
    assert "exit code 0, not 3" in told[1]


def test_no_command_is_a_thing_of_the_past() -> None:
    known = set(main.lazy)
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        if "decisions/" not in name:
            named = set(re.findall(r"`epochal ([a-z]+)\b", text))
            assert named <= known, (name, named - known)
        for block in blocks(ROOT / name):
            if block.language == "console" and block.is_run:
                assert commands(block), block.place


PLACE = re.compile(r"`((?:spec|checker|cli|tests|docs|examples|counterexamples|skills)(?:/[\w.-]+)*/?)`")


@for_each("name", PAGES)
def test_places_in_the_repository_exist(name: str) -> None:
    """Files and folders that a page names: a page is not left behind when they move."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert [place for place in PLACE.findall(text) if not (ROOT / place).exists()] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_that_the_first_page_tells_exists(shell: str) -> None:
    assert f"{shell}_source" in (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    environment = {"_EPOCHAL_COMPLETE": f"{shell}_source"}
    done = CliRunner().invoke(main, [], prog_name="epochal", env=environment)
    assert done.exit_code == 0 and f"_EPOCHAL_COMPLETE={shell}_complete" in done.output
