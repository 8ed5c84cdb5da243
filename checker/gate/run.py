"""From the options of `epochal gate` to its result: configuration, lock file, base commit, session."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epochal.errors import ConfigurationError
from epochal.sentences import Given

from ..host.termination import stopping
from . import lock_file
from .base import BaseCommit
from .code_links import link_warnings
from .configuration import read_configuration
from .models import chosen_models
from .outcome import GateResult
from .repository import changed_files, commit, repository_root
from .session import Session, SessionOptions

if TYPE_CHECKING:
    from ..search.result import Progress


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


def run_gate(
    request: GateRequest,
    report: Callable[[Progress], None] | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> GateRun:
    """Run the gate in the working folder. `report` hears the progress of searches, `tell` what is done, a line each.

    Raises EpochalError for a configuration, a lock file or a commit that cannot be used.
    """
    started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    folder = Path.cwd()
    configuration = read_configuration(folder)
    chosen = chosen_models(configuration, request.models, request.profile)
    path = request.baseline or Path(lock_file.NAME)
    lock = lock_file.read(path)
    if lock is None and (request.base is None or request.baseline is not None):
        raise ConfigurationError(
            f"there is no {path}, so there is nothing to compare with.",
            (
                "Record the present behaviour: epochal gate approve. Or name a commit to compare with: ",
                Given("base", "REF"),
            ),
        )
    root = repository_root(folder)
    with contextlib.ExitStack() as stack:
        base = None
        if request.base is not None:
            base = stack.enter_context(BaseCommit(commit(folder, request.base), folder))
        wanted = SessionOptions(
            chosen,
            request.profile,
            request.engine,
            request.budget,
            request.only_changed,
            request.fail_on if base is not None else (*request.fail_on, "new"),
            report,
            tell,
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
