"""`epochal check`: explore every reachable state, and check every property; `epochal liveness`: infinite runs alone."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import click

from epochal.errors import EngineError, UsageError
from epochal.report.page import tell

from ..app.command import ProtocolCommand
from ..app.options import (
    Output,
    chosen_cross_check,
    engine_option,
    options,
    output,
    protocol_argument,
    questions_option,
    refuse_workers,
)
from ..app.watch import watched

if TYPE_CHECKING:
    from epochal.checker.base.cache import Cache, Key
    from epochal.spec.language import Protocol
    from epochal.spec.loading import Subject


LAST = "last"
NOTE = cast("Key", LAST)
"""What it is noted under which checkpoint was written last. A note is no answer: it rests on nothing else."""
KEPT = 3
"""How many checkpoints of searches that a budget stopped are kept in the cache folder."""


def storage_of(
    protocol: Protocol, engine: str, resume: str | None, compact: bool, spill: Path | None, checkpoint: Path | None
) -> dict[str, Any]:
    """The folders of a search, as keywords of `epochal.check`; `resume` is what the native engine goes on from.

    Raises EpochalError for those that the engine or the disk cannot serve.
    """
    asked = {"--compact": compact, "--spill": spill, "--checkpoint": checkpoint, "--resume": resume}
    if engine == "spark":  # the driver has states in files, too, when it checks liveness properties
        del asked["--spill"]
    if engine in ("python", "spark") and any(asked.values()):
        named = next(name for name, value in asked.items() if value)
        raise UsageError(f"{named} needs the native engine.\n  Leave out --engine {engine}.")
    if compact and spill is None:
        spill = Path(tempfile.gettempdir())
    for folder in (spill, checkpoint):
        if folder is not None:
            _require_writable(folder)
    return {
        "spill": spill,
        "compact": compact,
        "checkpoint": checkpoint,
        "checkpoint_on_stop": _folder_on_stop(protocol),
        "resume": _resumed(resume),
    }


def remember(folder: Path) -> None:
    """Note that the last checkpoint is in this folder, and forget old ones in the cache folder that nobody uses.

    Of one in the cache folder it is noted what is in it: nobody else may have put another there.
    """
    home = _last().folder
    from epochal.checker.base.files import held

    try:
        own = folder.resolve().is_relative_to(home.resolve())
        note = {"folder": os.fspath(folder.resolve()), "manifest": _digest(folder) if own else ""}
        if not _last().write(NOTE, json.dumps(note).encode()):
            return
        others = [path for path in home.iterdir() if path.is_dir() and path.resolve() != folder.resolve()]
        others.sort(key=lambda path: path.stat().st_mtime)
    except OSError:  # a cache folder that cannot be written: --resume last will say that there is none
        return
    for path in others[: -(KEPT - 1)]:
        with suppress(OSError), held(path) as alone:
            if alone:
                shutil.rmtree(path, ignore_errors=True)


def _last() -> Cache:
    """Where it is noted which checkpoint was written last; those of searches that a budget stopped stand beside it."""
    from epochal.checker.base.cache import Cache

    return Cache("checkpoints", "json", most=1)


def _digest(folder: Path) -> str:
    """The digest of a checkpoint's manifest, which has those of its other files. Raises OSError."""
    from epochal.checker.search.checkpoint import MANIFEST

    return hashlib.blake2b((folder / MANIFEST).read_bytes(), digest_size=16).hexdigest()


def _folder_on_stop(protocol: Protocol) -> Path:
    """Where a search that a budget stops leaves what it knows."""
    name = protocol.name or type(protocol).__name__
    content = json.dumps([name, protocol.bounds.as_dict()])
    return _last().folder / hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def _resumed(resume: str | None) -> Path | None:
    if resume != LAST:
        return None if resume is None else Path(resume)
    note = _last().read(NOTE)
    if note is None:
        raise UsageError(
            "there is no last checkpoint.\n  A search writes one with --checkpoint DIR, or when a budget stops it."
        )
    last = json.loads(note)
    folder = Path(last["folder"])
    try:
        changed = last["manifest"] and last["manifest"] != _digest(folder)
    except OSError:  # it is gone: whoever reads it says so
        return folder
    if changed:
        raise UsageError(
            f"the checkpoint in {folder} is not the one that was written last: it has changed since.\n"
            f"  If you trust it: --resume {shlex.quote(str(folder))}. Else start again without --resume."
        )
    return folder


def _require_writable(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EngineError(
            f"{folder}: nothing can be written there: {error.strerror or error}.\n"
            "  Name a folder where you may write, on a disk with room."
        ) from error


@click.command(
    "check",
    cls=ProtocolCommand,
    examples=(
        "epochal check kip-101",
        "epochal check kip-320 --replicas 3 --log-size 2 --records 2 --max-epoch 2",
        "epochal check truncate-to-hw --replicas 2 --property weak_isr --out found",
        "epochal check kip-320 --max-epoch 1 --format json --budget 5m",
        "epochal check async-isr --engine python --replicas 2",
        "epochal check kip-320 --replicas 4 --max-epoch 1 --symmetry",
        "epochal check kraft --crashes 1 --symmetry --dominance on",
        "epochal check kip-320 --max-epoch 1 --engine spark --master 'local[2]' --storage run",
        "epochal check kip-320-proof --max-epoch 1 --lemmas",
        "epochal check kip-320 --workers 1 --compact",
        "epochal check async-isr --replicas 2 --static",
        "epochal check kip-320 --max-epoch 1 --cross-check 200",
        "epochal check balancing-kraft --brokers 2 --property policy_is_satisfied",
    ),
)
@protocol_argument
@options(
    questions_option,
    "lemmas engine workers symmetry dominance budget max_states max_memory compact spill checkpoint resume master "
    "storage conf all_violations static liveness optional fair unfair deadlock cross_check",
)
@output("Write result.json, and the trace (ITF) of every violation and of what must be reachable, to this folder.")
@watched("Check again whenever a file that matters is saved, until Ctrl-C.")
def command(
    subject: Subject,
    engine: str,
    resume: str | None,
    master: str | None,
    storage: str | None,
    conf: tuple[str, ...],
    compact: bool,
    spill: Path | None,
    checkpoint: Path | None,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
    **asked: Any,
) -> int:
    """Explore every reachable state of PROTOCOL within its bounds, and check every property.

    PROTOCOL is a registered name (see 'epochal list'), or path/to/file.py:Name for a protocol of your own. The search
    is breadth-first, so a counterexample is a shortest one. It stops at the first violation unless --all-violations is
    given. Exit code 0: everything holds within the bounds; 12: a property is violated; 13: a liveness property is
    violated; 11: a deadlock, with --deadlock; 22: everything holds, but an action is never enabled; 30: a budget is
    spent; 40: the engine disagrees with Python about a state ('epochal explain' lists all codes).
    """
    from epochal.api.check import check
    from epochal.checker.search.engines import ClusterChoice

    refuse_workers(engine)
    cluster = ClusterChoice(engine, master, storage, conf, resume)
    folder = output.folder()
    stored = storage_of(subject.protocol, engine, cluster.native_resume, compact, spill, checkpoint)
    result = output.ask_about(
        subject,
        check,
        engine=engine,
        cluster=cluster,
        witnesses=output.in_full,
        tell=lambda said: tell(f"epochal: {said}"),
        cross_check=chosen_cross_check(cross_check, engine),
        **asked,
        **stored,
    )
    if result.search.checkpoint is not None:
        remember(result.search.checkpoint)
    if folder is not None:
        try:
            result = result.naming(result.write(folder))
        except EngineError as error:  # the report of a long search is still worth having
            tell(f"epochal: {error}")
            result = result.without_files(error)
    return output.show(result)


@click.command(
    "liveness",
    cls=ProtocolCommand,
    examples=(
        "epochal liveness balancing-kraft --brokers 2 --needs",
        "epochal liveness balancing-kraft --brokers 2 --failures 1 --unfair rejoin",
    ),
)
@protocol_argument
@options("properties", engine_option, "workers optional fair unfair needs cross_check budget max_states max_memory")
@output("Write result.json, and the run (ITF) for each violated liveness property, to this folder.")
def liveness_command(
    subject: Subject, engine: str, cross_check: int | Literal["all", "off"] | None, output: Output, **asked: Any
) -> int:
    """Explore every reachable state of PROTOCOL within its bounds, and check liveness properties (leads_to).

    With --needs each liveness property is checked again without each of its fairness assumptions, one at a time, and
    without any. That is cheap: states and steps are computed once. Exit code 0: all liveness properties hold; 13: one
    is violated under its assumptions; 30: liveness could not be checked.
    """
    from epochal.api.check import liveness

    refuse_workers(engine)
    folder = output.folder()
    result = output.ask_about(
        subject, liveness, engine=engine, cross_check=chosen_cross_check(cross_check, engine), **asked
    )
    return output.show(result if folder is None else result.naming(result.write(folder)))
