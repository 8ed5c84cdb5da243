"""Real git repositories, with a specification of their own and the gate set up as a user would."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner, Result

from epochal.cli.main import main
from epochal.spec.loading import USER_MODULE

ROOT = Path(__file__).resolve().parents[3]
SEALED = "what the tests of the gate share"
"""The key of their caches, so that a copy of one is as good as the original."""
SMALL = {"replicas": 3, "log-size": 1, "records": 1, "max-epoch": 1}
"""6,787 states of KIP-320; the run that its missing fence allows does not fit in."""
SHOWING = {"replicas": 3, "log-size": 1, "records": 2, "max-epoch": 2}
"""The least bounds at which KIP-320 without its fence is found wanting."""

KIP_320 = (
    (ROOT / "spec/classic/kip_320.py")
    .read_text(encoding="utf-8")
    .replace("from ..", "from epochal.spec.")
    .replace("from .", "from epochal.spec.classic.")
    .replace("class Kip320(", "class Mine(")
    .replace('"kip-320"', '"mine"')
)
"""KIP-320 as a file of the user, whose class is called Mine."""

KIP_279 = '''from typing import ClassVar

from epochal.spec.classic.kip_279 import Kip279


class Mine(Kip279):
    """What runs today."""

    name: ClassVar[str] = "mine"
'''

FENCE = """        require(self.presumes_leadership(leader))
        require(self.replicas[leader].epoch == epoch)
        self.follow("""
assert FENCE in KIP_320
UNFENCED = KIP_320.replace(FENCE, "        self.follow(")


@dataclass(frozen=True)
class Repository:
    """A git repository in a folder of the test, and a cache of its own."""

    path: Path
    cache: Path

    def git(self, *arguments: str) -> str:
        """Run git; its output."""
        identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *identity, *arguments], cwd=self.path, capture_output=True, text=True, check=True)
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        """Write a file of the work tree."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def commit(self, message: str = "a change") -> None:
        """Commit the work tree."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def model(self, bounds: dict[str, int], **more: Any) -> None:
        """Configure one model, mine.py:Mine, within these bounds."""
        listed = ", ".join(f"{name} = {value}" for name, value in bounds.items())
        others = "".join(f"{key.replace('_', '-')} = {json.dumps(value)}\n" for key, value in more.items())
        self.write("epochal.toml", f'[model.mine]\nprotocol = "mine.py:Mine"\nbounds = {{ {listed} }}\n{others}')

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a command: its cache, and nothing that this process was told."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("EPOCHAL_", "GITHUB_"))}
        return {**kept, "PYTHONPATH": str(ROOT), "EPOCHAL_CACHE_DIR": str(self.cache), "EPOCHAL_CACHE_KEY": SEALED}

    def append(self, name: str, text: str) -> None:
        """Write more at the end of a file."""
        self.write(name, (self.path / name).read_text(encoding="utf-8") + text)

    def record(self, text: str, bounds: dict[str, int], **more: Any) -> None:
        """Commit a model within bounds whose behaviour is recorded."""
        self.write("mine.py", text)
        self.model(bounds, **more)
        self.baseline()
        self.commit()

    def epochal(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run epochal in the repository, in a process of its own."""
        return subprocess.run(
            [sys.executable, "-P", "-m", "epochal", *arguments],
            cwd=self.path,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def here(self, *arguments: str) -> Result:
        """Run epochal in the repository, in this process, which has imported what others import at their start.

        Files of the repository are loaded anew each time, as by a process of its own.
        """
        before = set(sys.modules)
        try:
            with contextlib.chdir(self.path), mock.patch.dict(os.environ, self.environment, clear=True):
                return CliRunner().invoke(main, arguments)
        finally:
            for name in sys.modules.keys() - before:
                file = getattr(sys.modules[name], "__file__", None)
                if name.startswith(USER_MODULE) or (file is not None and Path(file).is_relative_to(self.path)):
                    del sys.modules[name]

    def gate(self, *arguments: str, expect: int) -> dict[str, Any]:
        """Run the gate; its JSON result, after the exit code was compared."""
        done = self.here("gate", *arguments, "--format", "json")
        assert done.exit_code == expect, done.stdout[-3000:] + done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        assert document["exit_code"] == expect
        return document

    def baseline(self, *arguments: str) -> None:
        """Record the present behaviour."""
        done = self.here("baseline", "update", *arguments)
        assert done.exit_code == 0, done.stderr


def empty(folder: Path) -> Repository:
    """An empty repository, and a cache that nothing is in."""
    path = folder / "work"
    path.mkdir()
    made = Repository(path, folder / "cache")
    made.git("init", "-q")
    return made


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository whose committed model is KIP-320 at the small bounds, recorded in its lock file. Tests copy it."""
    made = empty(tmp_path_factory.mktemp("recorded"))
    made.record(KIP_320, SMALL)
    return made


@pytest.fixture
def repository(tmp_path: Path, recorded: Repository) -> Repository:
    """An empty repository; in its cache there is machine code alone, that of the search and of another model."""
    made = empty(tmp_path)
    shutil.copytree(recorded.cache / "objects", made.cache / "objects")
    return made


@pytest.fixture
def kip_320(tmp_path: Path, recorded: Repository) -> Repository:
    """A repository whose committed model is KIP-320 at the small bounds, recorded in its lock file and its cache."""
    shutil.copytree(recorded.path, tmp_path / "work")
    shutil.copytree(recorded.cache, tmp_path / "cache")
    return Repository(tmp_path / "work", tmp_path / "cache")
