"""What the gate asks of git: a commit's files without touching the work tree, and which files a change touches."""

from __future__ import annotations

import io
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

from epochal.errors import EngineError, UsageError
from epochal.sentences import Given


@dataclass(frozen=True)
class Commit:
    """A commit of the repository at `root`: as it was named, its id and the id of its tree."""

    root: Path
    name: str
    id: str
    tree: str

    def unpack(self, into: Path) -> None:
        """Write the files of the commit below a folder. The work tree and the index stay as they are."""
        packed = _git(self.root, "archive", "--format=tar", self.id)
        try:
            with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
                archive.extractall(into, filter="data")
        except tarfile.TarError as error:
            raise UsageError(
                (
                    Given("base", self.name),
                    ": this commit has no files, or git packs them in a way that cannot be read.",
                ),
                "Name a commit that holds the specification; git log -- FILE lists those that changed it.",
            ) from error


def repository_root(folder: Path) -> Path | None:
    """The top folder of the repository that a folder is in; None if it is in none, or git is missing."""
    try:
        found = _git(folder, "rev-parse", "--show-toplevel")
    except EngineError:
        return None
    return Path(found.decode("utf-8", "surrogateescape").strip())


def commit(folder: Path, name: str) -> Commit:
    """The commit that `name` means in the repository of a folder. Fails with exit code 2 if there is none."""
    root = repository_root(folder)
    if root is None:
        raise UsageError(
            (Given("base", name), f": {folder} is not in a git repository, or git is not installed."),
            ("Without ", Given("base"), " the gate compares with the lock file."),
        )
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        tree = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{tree}}")
    except EngineError as error:
        raise UsageError(
            (Given("base", name), ": this repository has no such commit."),
            "In a shallow clone fetch it first: git fetch origin, or fetch-depth: 0 in a workflow.",
        ) from error
    return Commit(root, name, found.decode().strip(), tree.decode().strip())


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
