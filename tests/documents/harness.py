"""Markdown whose examples are run: what a page shows is what the tool does.

Every fenced block of `console` or `python` is run, unless a comment on the line before it says otherwise:

    <!-- exit: 12 -->              the last command of the block ends with this code, the others with 0
    <!-- file: mine.py -->         the block is a file that the reader writes; it is there before anything is run
    <!-- source: examples/x.py --> the block is this file of the repository, which has a test of its own
    <!-- prints -->                the block (of `text`) is what the Python block before it prints
    <!-- long -->                  run by `make test-long` only
    <!-- excerpt: why -->          not run, and why

Several are joined by `;`. In a `console` block a line that begins with `$ ` is a command, and what follows is its
output; `...` stands for anything, as in doctest, and no output at all says that it is not compared. Python blocks of a
page are one program. Blocks of `sh` are not run; the commands that they name must exist, with the options.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from epochal.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
OF_A_CHECKOUT = ("tests/evidence", "tests/audit/clusters", "examples/classics")
BLOCK = re.compile(
    r"(?:^[ ]*<!-- (?P<marks>[^\n]*?) -->\n)?^(?P<indent>[ ]*)```(?P<language>\w+)\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
LANGUAGES = {"console", "python", "text", "sh", "toml", "yaml", "markdown", "mermaid", "json"}
MARKS = {"exit", "file", "source", "prints", "long", "excerpt"}
ELSEWHERE = {"head", "read", "refused"}
"""Marks of docs/language.md, which tests/spec/language/test_chapter.py runs."""


def pages() -> list[Path]:
    """The pages whose examples are run."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "skills").rglob("*.md"))]


@dataclass(frozen=True)
class Block:
    """A fenced block of a page. `line` is the number of its first line in the page."""

    page: Path
    line: int
    language: str
    text: str
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_run(self) -> bool:
        """Whether a reader may expect that it works as it stands."""
        return self.language in ("console", "python") and not self.marks.keys() & (
            {"file", "source", "excerpt"} | ELSEWHERE
        )


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page. Raises ValueError for a mark or a language that is unknown."""
    content = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(content):
        marks = {}
        for mark in (match["marks"] or "").split(";") if match["marks"] else ():
            name, _, value = mark.strip().partition(":")
            marks[name.split()[0]] = value.strip()
        block = Block(
            page,
            content.count("\n", 0, match.start("text")) + 1,
            match["language"],
            textwrap.dedent(match["text"]) if match["indent"] else match["text"],
            marks,
        )
        if block.language not in LANGUAGES:
            raise ValueError(f"{block.place}: {block.language} is no language of these pages")
        found.append(block)
    return found


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the output that the page shows."""

    typed: str
    shown: str


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0][:-1] + line.strip(), [])
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"{block.place}: the block begins with no command")
    return [Command(typed, "\n".join(shown)) for typed, shown in found]


def typed(command: str) -> tuple[int, str]:
    """Exit code and output of a command as the reader types it: of `epochal`, `python FILE` or `pytest`.

    Output is what goes to stdout, or to stderr if that is all there is; progress is not compared.
    """
    words = shlex.split(command, comments=True)
    if words[0] == "epochal":
        done = CliRunner().invoke(main, words[1:], prog_name="epochal")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.stdout or done.stderr
    if words[0] == "python" and len(words) == 2:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            runpy.run_path(words[1], run_name="__main__")
        return 0, printed.getvalue()
    if words[0] == "pytest":
        asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", *words[1:]]
        finished = subprocess.run(asked, capture_output=True, text=True, check=False)
        return finished.returncode, finished.stdout
    raise ValueError(f"{command}: mark the block as an excerpt; epochal, python FILE and pytest are run")


def trimmed(text: str) -> str:
    """A text without spaces at the ends of lines, and without empty lines at its ends."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def same(shown: str, printed: str) -> bool:
    """Whether the output is what the page shows."""
    return doctest.OutputChecker().check_output(trimmed(shown), trimmed(printed), doctest.ELLIPSIS)


def written(page: Path, folder: Path) -> None:
    """Write the files that a page has the reader write; what a page names of a checkout is there, as in a checkout."""
    for named in OF_A_CHECKOUT:
        if named in page.read_text(encoding="utf-8"):
            (folder / named).parent.mkdir(parents=True, exist_ok=True)
            (folder / named).symlink_to(ROOT / named)
    for block in blocks(page):
        if "file" in block.marks:
            target = folder / block.marks["file"]
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")


@dataclass(frozen=True)
class Difference:
    """An example that does not do what the page says."""

    block: Block
    said: str

    def __str__(self) -> str:
        return f"{self.block.place}: {self.said}"


def run(page: Path, long: bool) -> Iterator[Difference]:
    """Run the examples of a page in the working folder: those marked long, or the others."""
    names: dict[str, Any] = {"__name__": "__page__"}
    printed = ""
    for block in blocks(page):
        if "prints" in block.marks and ("long" in block.marks) == long:
            if not same(block.text, printed):
                yield Difference(block, f"printed is\n{printed}")
        elif not block.is_run or ("long" in block.marks) != long:
            continue
        elif block.language == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), names)
            printed = output.getvalue()
        else:
            yield from _run_commands(block)


def _run_commands(block: Block) -> Iterator[Difference]:
    found = commands(block)
    for command in found:
        expected = int(block.marks.get("exit", "0")) if command is found[-1] else 0
        code, output = typed(command.typed)
        if code != expected:
            yield Difference(block, f"$ {command.typed}\nexit code {code}, not {expected}\n{output}")
        elif command.shown.strip() and not same(command.shown, output):
            yield Difference(block, f"$ {command.typed}\n{output}")
