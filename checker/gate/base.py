"""The specification of another commit: its files in a temporary folder, loaded by a process of their own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import epochal
from epochal.errors import ConfigurationError, EngineError, UsageError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given, Sentence
from epochal.spec.language import SettingValue

from ..base.cache import warn
from ..base.files import held
from .configuration import ModelSettings, read_configuration
from .record import Record, decode_record

# -- repository -------------------------------------------------------------------------------------------------------
# What the gate asks of git: a commit's files without touching the work tree, and which files a change touches.


@dataclass(frozen=True)
class Commit:
    """A commit of the repository at `root`: as it was named by an option, its id and the id of its tree."""

    root: Path
    name: str
    id: str
    tree: str
    option: str = "base"

    def unpack(self, into: Path, only: Sequence[str] = ()) -> None:
        """Write the files of the commit below a folder. The work tree and the index stay as they are.

        `only` are paths relative to the root, of which the commit may lack some; none: all files.
        """
        there = [path for path in only if path == "." or self._has(path)]
        if only and not there:
            return
        packed = _git(self.root, "--literal-pathspecs", "archive", "--format=tar", self.id, "--", *there)
        try:
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(into, filter="data")
        except tarfile.TarError as error:
            raise UsageError(
                (
                    Given(self.option, self.name),
                    ": this commit has no files, or git packs them in a way that cannot be read.",
                ),
                "Name a commit that holds the files; git log -- FILE lists those that changed it.",
            ) from error

    def _has(self, path: str) -> bool:
        return bool(_git(self.root, "--literal-pathspecs", "ls-tree", "-z", self.id, "--", path))


WITHOUT_BASE: Sentence = ("Without ", Given("base"), " the gate compares with the lock file.")


def repository_root(folder: Path) -> Path | None:
    """The top folder of the repository that a folder is in; None if it is in none, or git is missing."""
    try:
        found = _git(folder, "rev-parse", "--show-toplevel")
    except EngineError:
        return None
    return Path(found.decode("utf-8", "surrogateescape").strip())


def commit(folder: Path, name: str, option: str = "base", instead: Sentence = WITHOUT_BASE) -> Commit:
    """The commit that `name` means in the repository of a folder. Fails with exit code 2 if there is none.

    `option` is where somebody has named it, and `instead` what to do without a repository.
    """
    root = repository_root(folder)
    if root is None:
        raise UsageError(
            (Given(option, name), f": {folder} is not in a git repository, or git is not installed."), instead
        )
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        tree = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{tree}}")
    except EngineError as error:
        raise UsageError(
            (Given(option, name), ": this repository has no such commit."),
            "In a shallow clone fetch it first: git fetch origin, or fetch-depth: 0 in a workflow.",
        ) from error
    return Commit(root, name, found.decode().strip(), tree.decode().strip(), option)


def changed_files(base: Commit) -> list[str]:
    """The files that differ between a commit and the work tree, relative to the root."""
    tracked = _git(base.root, "diff", "--name-only", "-z", base.id)
    untracked = _git(base.root, "ls-files", "--others", "--exclude-standard", "-z")
    names = (tracked + untracked).decode("utf-8", "surrogateescape").split("\0")
    return sorted({name for name in names if name})


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise EngineError(f"git cannot be run: {error.strerror or error}.") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise EngineError(f"git {' '.join(arguments)}: {said or 'failed'}")
    return done.stdout


PREFIX = "epochal-base-"
FRESH = 60.0
"""Seconds that a run has from making its folder until it holds it."""

TOOL_ROOT = Path(__file__).resolve().parents[2]
"""The folder with the packages; `IMPORTED_FROM` is the one from which they are imported as parts of `epochal`."""
IMPORTED_FROM = Path(epochal.__file__).resolve().parents[1]


Apart = Mapping[str, SettingValue]


@dataclass(frozen=True)
class BaseAnswer:
    """What another commit says about a model: its record and rules, or `problem`: why it says nothing, with its code.

    Where the rules mean the same as those it is compared with, `record` and `rules` are None.
    """

    specification: str = ""
    text: str = ""
    record: Record | None = None
    rules: dict[str, Any] | None = None
    problem: str = ""
    code: int = ExitCode.HOLDS


class BaseCommit:
    """A commit to compare with. Its files are unpacked when they are first needed, and removed at the end."""

    def __init__(self, commit: Commit, working: Path) -> None:
        self.commit = commit
        self._working = working.resolve().relative_to(commit.root.resolve())
        self._folder: Path | None = None
        self._kept_open = contextlib.ExitStack()
        self._running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self._running:
            if process.poll() is None:
                process.kill()
                process.wait()
        self._kept_open.close()

    @property
    def root(self) -> Path:
        """The folder with the commit's files."""
        if self._folder is None:
            remove_left_behind()
            folder = Path(self._kept_open.enter_context(tempfile.TemporaryDirectory(prefix=PREFIX)))
            self._kept_open.enter_context(held(folder))
            self._folder = folder / "files"
            self._folder.mkdir()
            self.commit.unpack(self._folder)
        return self._folder

    def ask(
        self, settings: ModelSettings, known: str, engine: str, budget: float | None, apart: Apart
    ) -> PendingAnswer:
        """Begin to ask about a model. `known` is the specification digest of the present version, and `apart` are the
        settings that take apart what is two steps in that (`Configurable.taken_apart`)."""
        folder = self.root / self._working
        if not folder.is_dir():
            return PendingAnswer(known, BaseAnswer(problem=f"it has no folder {self._working}"), None)
        process = self._started(folder, settings, known=known, engine=engine, budget=budget, apart=dict(apart))
        return PendingAnswer(known, None, process)

    def rules_at(self, settings: ModelSettings, budget: float | None, apart: Apart) -> dict[str, Any] | None:
        """The rules of a model, whose settings may have other bounds than those it was asked with; None without any."""
        folder = self.root / self._working
        if not folder.is_dir():
            return None
        process = self._started(
            folder, settings, known="", engine="", budget=budget, apart=dict(apart), rules_only=True
        )
        assert process.stdout is not None
        said = process.stdout.read()
        process.stdout.close()
        return None if process.wait() != 0 or not said else json.loads(said).get("rules")

    def _started(self, folder: Path, settings: ModelSettings, **asked: object) -> subprocess.Popen[str]:
        """A process that loads a model in the folder of the commit, and has read what is asked of it."""
        own = (self.commit.root / "spec").resolve() == (TOOL_ROOT / "spec").resolve()
        request = {
            "packages": str(self.root) if own else "",
            "reference": _as_called_in(folder, settings),
            "bounds": settings.bounds,
            **asked,
        }
        environment = {**os.environ, "PYTHONPATH": str(IMPORTED_FROM), "PYTHONDONTWRITEBYTECODE": "1"}
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "epochal.checker.gate.base_worker"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._running.append(process)
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request))
            process.stdin.close()
        except BrokenPipeError:  # it ended already; what it said and its exit code are told when it is waited for
            pass
        return process


def remove_left_behind() -> None:
    """Remove the folders of runs that were killed: nobody holds them, and they were not made just now."""
    with contextlib.suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
            status = folder.lstat()
            if status.st_uid == os.geteuid() and stat.S_ISDIR(status.st_mode) and time.time() - status.st_mtime > FRESH:
                with held(folder) as alone:
                    if alone:
                        shutil.rmtree(folder, ignore_errors=True)


def _as_called_in(folder: Path, settings: ModelSettings) -> str:
    """How the model is called in another version: as now, or as configured there if its file has another name now."""
    path, separator, _ = settings.protocol.rpartition(":")
    if not separator or (folder / path).exists():
        return settings.reference
    try:
        there = read_configuration(folder).models.get(settings.name)
    except ConfigurationError:  # it cannot be understood: then the missing file is what is told
        return settings.reference
    return replace(settings, protocol=there.protocol).reference if there is not None else settings.reference


@dataclass(frozen=True)
class PendingAnswer:
    """An answer that is there already, or that a process is about to give."""

    known: str
    ready: BaseAnswer | None
    process: subprocess.Popen[str] | None

    def get(self) -> BaseAnswer:
        """Wait for the answer. Raises EngineError if the process dies."""
        if self.ready is not None:
            return self.ready
        assert self.process is not None and self.process.stdout is not None
        said = self.process.stdout.read()
        self.process.stdout.close()
        status = self.process.wait()
        if status != 0 or not said:
            raise EngineError(f"the process that loads the baseline ended with status {status}.")
        data = json.loads(said)
        for warning in data["warnings"]:
            warn(warning)
        if "message" in data:
            return BaseAnswer(problem=data["message"], code=data["code"])
        if data["specification"] == self.known:
            return BaseAnswer(data["specification"], data["text"])
        return BaseAnswer(data["specification"], data["text"], decode_record(data["record"]), data["rules"])
