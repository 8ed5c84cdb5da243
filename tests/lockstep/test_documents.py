"""What pages show on Kafka's own classes is what the commands print: findings, lockstep, and a KIP."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from epochal.exit_codes import ExitCode
from tests.documents.harness import ROOT, blocks, commands, same, typed
from tests.lockstep.conftest import Released

PAGES = [ROOT / "docs" / "lockstep.md", ROOT / "docs" / "kip.md"] + [
    page
    for page in sorted((ROOT / "docs" / "kafka" / "findings").glob("*.md"))
    if "\n## On your machine\n" in page.read_text(encoding="utf-8")
]
NEEDS = "it needs a JDK and the jars of a Kafka"
MEANS = {
    ": lost: ": ExitCode.VIOLATED,
    ": kept: ": ExitCode.HOLDS,
    "is the same": ExitCode.HOLDS,
    "do the same": ExitCode.HOLDS,
}
"""What the first line says, and the exit code. Of lines that differ it is another."""


@pytest.mark.lockstep
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_is_printed(
    released: Released, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("counterexamples", "tests"):
        Path(name).symlink_to(ROOT / name)
    for block in blocks(page):
        if "file" in block.marks:
            Path(block.marks["file"]).write_text(block.text, encoding="utf-8")
    found = 0
    for block in blocks(page):
        for command in commands(block) if block.language == "console" else ():
            if block.is_run and " --out " in command.typed:  # the trace that is played
                typed(command.typed)
            elif block.marks.get("excerpt") == NEEDS:
                released(re.findall(r"--kafka (\S+)", command.typed)[0])
                code, output = typed(command.typed)
                assert same(command.shown, output), f"{block.place}\n{output}"
                first = command.shown.splitlines()[0]
                assert code == next((code for said, code in MEANS.items() if said in first), ExitCode.DRIFTED)
                found += 1
    assert found >= 2
