"""The page about the gate shows what the tool writes, and what others install is what the tool understands."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import click
import pytest

from epochal.cli.main import main
from tests.checker.gate.conftest import KIP_320, ROOT, SMALL, UNFENCED, Repository

PAGE = ROOT / "docs" / "gate.md"
START, END = "<!-- summary: begin -->\n", "<!-- summary: end -->\n"


def test_the_summary_on_the_page_is_the_tools(repository: Repository) -> None:
    """A pull request that drops the fence of KIP-320, at bounds that hide what follows from it."""
    repository.write("models/kip_320.py", KIP_320)
    added = repository.here("gate", "add", "models/kip_320.py:Mine", "--name", "kip-320", *(
        word for name, value in SMALL.items() for word in (f"--{name}", str(value))
    ))  # fmt: skip
    assert added.exit_code == 0, added.stderr
    repository.commit()
    repository.write("models/kip_320.py", UNFENCED)
    assert repository.here("gate", "--base", "main", "--out", "report").exit_code == 20
    written = (repository.path / "report" / "summary.md").read_text(encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    shown = page[page.index(START) + len(START) : page.index(END)]
    expected = written.replace("# Epochal:", "### Epochal:").replace("\n## ", "\n#### ")
    assert shown == expected, f"put this between the two marks of {PAGE.name}:\n{expected}"


def test_the_commands_on_the_page_exist() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^)epochal ([a-z]+)\b", text, re.MULTILINE))
    assert {"gate"} <= named <= set(main.list_commands(click.Context(main)))


def test_the_configuration_on_the_page_is_understood(repository: Repository) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    repository.write("models/mine.py", KIP_320)
    repository.write("pyproject.toml", text)
    done = repository.here("gate", "approve")
    assert done.exit_code == 0, done.stderr


def test_the_pre_commit_hook_is_a_command(kip_320: Repository) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    entry, _ = re.findall(r"^  entry: (.+)$", hooks, re.MULTILINE)  # of the gate, and of the audit
    words = shlex.split(entry)
    assert words[0] == "epochal"
    assert kip_320.here(*words[1:]).exit_code == 0
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.here(*words[1:]).exit_code == 20


def test_the_action_runs_the_gate(kip_320: Repository, tmp_path: Path) -> None:
    """The script of the action's last step, with the inputs that the action gives it."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = "".join(line[8:] for line in text[text.rindex("run: |") :].splitlines(keepends=True)[1:])
    folder = tmp_path / "bin"
    folder.mkdir()
    tool = folder / "epochal"
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(__import__("sys").executable)} -P -m epochal "$@"\n')
    tool.chmod(0o755)
    output = tmp_path / "output"
    environment = {
        **kip_320.environment,
        "PATH": f"{folder}:{kip_320.environment['PATH']}",
        "GITHUB_OUTPUT": str(output),
        "PYTHONSAFEPATH": "1",
        "GATE_BASE": "HEAD",
        "GATE_PROFILE": "pr",
        "GATE_BUDGET": "5m",
        "GATE_OUT": "epochal-report",
        "GATE_ARGUMENTS": "--fail-on narrowed --fail-on new",
    }
    for text, code in ((KIP_320, 0), (UNFENCED, 20)):
        kip_320.write("mine.py", text)
        done = subprocess.run(["bash", "-c", script], cwd=kip_320.path, env=environment, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
    assert output.read_text() == "exit-code=0\nexit-code=20\n"
    assert (kip_320.path / "epochal-report" / "sarif.json").is_file()
    kip_320.write("mine.py", f"{KIP_320}\n\nimport os\n\nos._exit(0)\n")
    (kip_320.path / "epochal-report" / "result.json").write_text('{\n "exit_code": 0,\n')
    kip_320.commit("a report of an earlier run, and a specification that ends the program")
    done = subprocess.run(["bash", "-c", script], cwd=kip_320.path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "::error title=epochal::The gate ended before it had a result." in done.stdout
    assert output.read_text().endswith("exit-code=1\n")


@pytest.mark.parametrize("file", ["action.yml", ".pre-commit-hooks.yaml"])
def test_what_is_given_to_others_names_no_unknown_option(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    gate = main.get_command(click.Context(main), "gate")
    assert gate is not None
    known = {option for param in gate.params for option in param.opts}
    used = {
        word
        for word in re.findall(r"--[a-z-]+", text.partition("# The audit")[0])
        if word not in ("--disable-pip-version-check", "--quiet")
    }
    assert used <= known
