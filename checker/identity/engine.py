"""The code that decides an answer, as a digest: source files of Epochal, and the versions of what they run on.

The key of whatever is kept is made here, of such a digest and the question. What is kept by one version of the code is
not believed by another: the answer of an engine that was repaired since would come back. Files that may have been
changed while this process ran are not the code that runs; nothing is kept then.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ..base.cache import Key, warn
from ..base.files import file_digest

Part = Literal[
    "answers", "answers by text", "programs", "symmetric programs", "machine code", "proofs", "unbounded proofs"
]
"""What decides: whole answers of searches and proofs, or one of the parts that others are made of.

An answer is known by the compiled meaning of its specification; "by text" is for Epochal's own specifications alone,
of which the sources say what they are.
"""

COMPILER: Final = (
    *(f"checker/{room}" for room in ("compile", "ir", "native", "semantics", "smt", "symmetry", "dominance")),
    "checker/trace",
    "checker/crosscheck",
    "spec",
)
PARTS: Final[Mapping[Part, tuple[str, ...]]] = {
    "answers": ("", "checker", "spec/language"),
    "answers by text": ("", "checker", "spec"),
    "programs": COMPILER,
    "symmetric programs": ("checker", "spec"),
    "machine code": (),
    "proofs": (
        "checker/smt",
        "checker/solver/answer.py",
        "checker/ir",
        "checker/semantics",
        "checker/trace/run.py",
        "checker/workers",
        "spec/language",
    ),
    "unbounded proofs": (
        "checker/unbounded/certificate.py",
        "checker/unbounded/ladder.py",
        "checker/unbounded/oracle.py",
        "checker/unbounded/pools.py",
        "checker/unbounded/question.py",
        "checker/unbounded/sizes.py",
        "checker/unbounded/witnesses.py",
        "checker/unbounded/z3_terms.py",
        "checker/parametric/domains.py",
        "checker/parametric/terms.py",
        "checker/ir",
        "checker/semantics",
        "checker/smt",
        "checker/solver/answer.py",
        "checker/trace/run.py",
        "checker/workers",
        "spec/language",
    ),
}
"""Whose sources decide; "" is the package `epochal` itself. What LLVM makes of a text is decided by LLVM alone."""

TOLD: Final = ("answers", "answers by text")
"""The parts of which people hear that nothing is kept: whole answers, for which they have waited."""
NOT_KEPT: Final = (
    "answers of this run are not kept, nor are kept ones believed: {}.\n"
    "  The next run finds nothing of this one. If that does not end by itself, look at the time of that file."
)

SOURCES: Final = ("*.py", "*.ll")
"""The files of a folder that are code."""

INSTALLED: Final = ("llvmlite", "z3-solver")
"""The packages whose versions count, besides Python."""

STARTED = time.time()
MARGIN: Final = 10.0
"""Seconds before this module was imported in which the process may have begun."""


class Untold(Exception):
    """It cannot be told what decides an answer; the message says why."""


def key(part: Part, *question: object) -> Key | None:
    """What the answer to a question is kept by; None if it must not be kept: it cannot be told what decides it.

    The question is plain data, which names all that the answer depends on but the code.
    """
    try:
        decides = engine(part)
    except Untold as why:
        if part in TOLD:
            warn(NOT_KEPT.format(why))
        return None
    return key_of(f"{part} {decides}", *question)


def key_of(decides: str, *question: object) -> Key:
    """The same where it is known already what decides: the digest of an engine.

    Where the question begins with a word, so does the key, for people who look into the cache.
    """
    content = json.dumps([decides, question])
    digest = hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
    first = question[0] if question else None
    return Key(f"{first}-{digest}" if isinstance(first, str) and first.isidentifier() else digest)


def engine_here(part: Part) -> str:
    """The digest of an engine; where it cannot be told, something by which no other process finds what is kept."""
    try:
        return engine(part)
    except Untold as why:
        warn(NOT_KEPT.format(why))
        return alone()


def alone() -> str:
    """Something by which no other process, and no other call, finds what is kept."""
    return f"of process {os.getpid()} alone, {time.time_ns()}"


def engine(part: Part) -> str:
    """The digest of the code that decides, and of the versions that it runs on. Raises Untold."""
    told = json.dumps([versions(), _sources(PARTS[part])])
    return hashlib.blake2b(told.encode(), digest_size=20).hexdigest()


_first: dict[tuple[str, ...], str] = {}
"""The digests of sources when this process first asked for them."""


def _sources(places: tuple[str, ...]) -> str:
    """The digest of all sources of these places, which are those of the code that runs. Raises Untold.

    A program can choose the time of a file's last change of content, as archives and installers do, but not that of the
    last change of the file itself.
    """
    content = hashlib.blake2b(digest_size=20)
    try:
        for file, name in _source_files(places):
            status = file.stat()
            if max(status.st_mtime, status.st_ctime) > STARTED - MARGIN:
                raise Untold(f"{file} is new: it may have been changed since this process began")
            content.update(name)
            content.update(file_digest(file))
    except OSError as error:
        raise Untold(f"a source file cannot be read: {error}") from error
    found = content.hexdigest()
    if _first.setdefault(places, found) != found:
        raise Untold("source files of Epochal were changed since this process began")
    return found


@functools.cache
def versions() -> dict[str, str]:
    """The versions of Python and of what an answer is computed with; "" for what is not installed."""
    python = f"{platform.python_implementation()} {sys.version} optimize={sys.flags.optimize}"
    found = {"format": "1", "python": python, "byte order": sys.byteorder}
    for name in INSTALLED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found


def folder_of(place: str) -> Path:
    """Where a file or folder of the package is, by its path in it: `checker/ir`; "" is the package itself."""
    package, _, rest = place.partition("/")
    found = importlib.util.find_spec(f"epochal.{package}" if package else "epochal")
    if found is None or found.origin is None:
        raise Untold(f"the package has no {place}")
    return Path(found.origin).resolve().parent / rest


@dataclass(frozen=True)
class _Listing:
    """Source files, with their names as a digest holds them, and when each folder was changed last."""

    files: tuple[tuple[Path, bytes], ...]
    folders: tuple[tuple[Path, int], ...]


_listings: dict[Sequence[str], _Listing] = {}


def _source_files(places: Sequence[str]) -> tuple[tuple[Path, bytes], ...]:
    """Every source file of these places. A folder is read again when a file has come or gone.

    Raises Untold, and OSError.
    """
    known = _listings.get(places)
    if known is None or any(folder.stat().st_mtime_ns != changed for folder, changed in known.folders):
        known = _listings[places] = _listed(places)
    return known.files


def _listed(places: Sequence[str]) -> _Listing:
    found: list[tuple[Path, bytes]] = []
    folders: list[tuple[Path, int]] = []
    for place in places:
        at = folder_of(place)
        below = list(_folders(at)) if at.is_dir() else []
        folders += [(folder, folder.stat().st_mtime_ns) for folder in below]  # before its files are listed
        files = (
            [at] if at.is_file() else sorted(file for folder in below for kind in SOURCES for file in folder.glob(kind))
        )
        if not files:
            raise Untold(f"{place} has no sources")
        found += [(file, f"\n{place}/{file.relative_to(at)}\n".encode("utf-8", "surrogateescape")) for file in files]
    return _Listing(tuple(found), tuple(folders))


def _folders(at: Path) -> Iterator[Path]:
    """A folder and those in it, not by links: packages that are linked are places of their own."""
    yield at
    for one in sorted(at.iterdir()):
        if one.is_dir() and not one.is_symlink() and one.name not in ("__pycache__", "cli", "checker", "spec"):
            yield from _folders(one)
