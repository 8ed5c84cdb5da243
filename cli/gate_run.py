"""From the options of `epochal gate` to its result: configuration, lock file, base commit, session."""

from __future__ import annotations

import contextlib
import datetime
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from epochal.checker.gate import lock_file
from epochal.checker.gate.outcome import GateResult
from epochal.checker.host.termination import stopping
from epochal.errors import ConfigurationError

from .base import BaseCommit
from .code_links import link_warnings
from .configuration import read_configuration
from .gate_session import Session, Wanted
from .models import chosen_models
from .render.progress import shown_progress
from .repository import changed_files, commit, repository_root
from .shown import tell


@dataclass(frozen=True)
class GateRequest:
    """What `epochal gate` was asked for."""

    models: tuple[str, ...] = ()
    base: str | None = None
    baseline: Path | None = None
    profile: str = "pr"
    budget: float | None = None
    only_changed: bool = False
    fail_on: tuple[str, ...] = ()
    engine: str = "auto"
    progress: str = "none"


@dataclass(frozen=True)
class GateRun:
    """A result, and what its reports need beside it.

    `prefix` is the working folder below the top of its repository; `fallback` the file that findings without a line
    are shown in; `started` the time of the beginning, ISO 8601.
    """

    result: GateResult
    prefix: str
    fallback: str
    started: str


def run_gate(request: GateRequest, errors: TextIO) -> GateRun:
    """Run the gate in the working folder; progress goes to `errors`. Raises EpochalError."""
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    folder = Path.cwd()
    configuration = read_configuration(folder)
    chosen = chosen_models(configuration, request.models, request.profile)
    path = request.baseline or Path(lock_file.NAME)
    lock = lock_file.read(path)
    if lock is None and (request.base is None or request.baseline is not None):
        raise ConfigurationError(
            f"there is no {path}, so there is nothing to compare with.\n"
            "  Record the present behaviour: epochal baseline update. Or name a commit to compare with: --base REF",
        )
    root = repository_root(folder)
    with contextlib.ExitStack() as stack:
        base = None
        if request.base is not None:
            base = stack.enter_context(BaseCommit(commit(folder, request.base), folder))
        report = stack.enter_context(shown_progress(request.progress, errors))
        wanted = Wanted(
            chosen,
            request.profile,
            request.engine,
            request.budget,
            request.only_changed,
            request.fail_on if base is not None else (*request.fail_on, "new"),
            report,
            (lambda _: None) if request.progress in ("none", "json") else tell,
            not request.models,
        )
        session = Session(configuration, wanted, base, lock, str(path))

        def stop(why: str) -> None:
            session.stopped = why

        with stopping(stop):
            result = session.run()
        if base is not None and configuration.code_links:
            warnings = link_warnings(configuration.code_links, result, changed_files(base.commit))
            result = replace(result, link_warnings=warnings)
    prefix = "" if root is None else folder.resolve().relative_to(root.resolve()).as_posix()
    fallback = configuration.file.split(",")[0]
    return GateRun(result, "" if prefix == "." else prefix, fallback, started)
