"""This project's own specifications as of another commit: their rules and names come from there, the tool stays."""

from __future__ import annotations

import shutil

import pytest

from tests.checker.gate.conftest import FENCE, ROOT, SMALL, Repository

BEFORE = '''"""The names as they were, in a module that knew less."""

REGISTRY = {"kip-320": "epochal.spec.classic.fenced:Kip320"}
'''


@pytest.mark.parametrize("former", [False, True])
def test_names_and_rules_are_those_of_the_commit(repository: Repository, former: bool) -> None:
    """Also of a commit in which the packages had their former names."""
    for package in ("src", "spec", "checker", "cli"):
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, repository.path / package, symlinks=True, ignore=unwanted)
    names = (repository.path / "spec/registry.py").read_text(encoding="utf-8")
    rules = (repository.path / "spec/classic/kip_320.py").read_text(encoding="utf-8")
    bounds = ", ".join(f"{name} = {value}" for name, value in SMALL.items())
    repository.write("epochal.toml", f'[model.kip-320]\nprotocol = "kip-320"\nbounds = {{ {bounds} }}\n')
    assert FENCE in rules
    unfenced = rules.replace(FENCE, "        self.follow(")
    repository.write("spec/classic/fenced.py", unfenced.replace("from ..", "from spec.") if former else unfenced)
    repository.write("spec/registry.py", BEFORE.replace("epochal.", "") if former else BEFORE)
    repository.commit("the fence was not there, and another module had the name")
    (repository.path / "spec/classic/fenced.py").unlink()
    repository.write("spec/registry.py", names)
    done = repository.epochal("gate", "--base", "HEAD", PYTHONPATH=str(repository.path / "src"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passes: kip-320 narrowed" in done.stdout
    assert "BecomeFollower loses 3,030" in done.stdout
    assert "of 7,891 states are no longer reached" in done.stdout
