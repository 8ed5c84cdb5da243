"""What a specification was loaded from, as one digest: the bytes of its source files, and of the compiler's.

As long as these are the same, compiling it again gives the same expression graph, so the digests of the last time are
still true. Files that the specification reads while it is imported cannot be told apart from its source; where it reads
any, there is no fingerprint.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from ..host.file_digest import file_digest

TOOL = Path(__file__).resolve().parents[2]
COMPILER = ("checker/compile", "checker/ir", "checker/gate", "spec/language")
OTHERS = frozenset(
    (
        *("click", "rich", "markdown_it", "mdurl", "pygments", "llvmlite", "networkx", "z3"),
        *("pytest", "_pytest", "pluggy", "hypothesis", "__main__"),
    )
)
"""Packages that no specification is made of, besides the standard library."""
SOURCES = (".py", ".pyc", ".so", ".pyd", ".zip")


_heard: list[list[str]] = []
"""Where the paths go that are opened now: to everybody who listens."""


@functools.cache
def _listen() -> None:
    """Have Python tell what is opened. A hook stays for the life of the process, so there is only one."""

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(path := arguments[0], str):
            for paths in _heard:
                paths.append(path)

    sys.addaudithook(hear)


@contextlib.contextmanager
def opened_files() -> Iterator[list[str]]:
    """The paths of the files that are opened while this lasts, as a specification is imported."""
    _listen()
    heard: list[str] = []
    _heard.append(heard)
    try:
        yield heard
    finally:
        _heard[:] = [paths for paths in _heard if paths is not heard]


def fingerprint(question: str, opened: list[str]) -> str | None:
    """The digest of everything that the answer to `question` depends on; None if that cannot be told.

    `question` names the protocol, its bounds and the working folder. `opened` are the files opened while it was loaded.
    """
    if any(not path.endswith(SOURCES) and Path(path).is_file() for path in opened):
        return None
    content = hashlib.blake2b(f"{platform.python_version()} {question}".encode(), digest_size=20)
    files = [file for folder in COMPILER for file in (TOOL / folder).rglob("*.py")]
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        if top == "epochal" and not name.startswith("epochal.spec."):
            continue
        origin = getattr(module, "__file__", None)
        if origin and top not in sys.stdlib_module_names and top not in OTHERS:
            files.append(Path(origin))
    try:
        for file in sorted(set(files)):
            content.update(f"\n{file}\n".encode("utf-8", "surrogateescape"))
            content.update(file_digest(file))
    except OSError:  # a source that is gone since it was imported
        return None
    return content.hexdigest()
