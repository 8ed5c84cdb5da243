"""Who answers tasks, in a process of their own or on an executor."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from epochal.checker.host.measure import peak_memory
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode

from .kinds import KINDS
from .rows import Outcome
from .subject import Changed, Subjects
from .task import Task


class Sweeper:
    """Answers tasks one after the other, within `limits`. What is refused, or cannot be, is an outcome as well."""

    def __init__(self, limits: Mapping[str, Any]) -> None:
        self._limits = limits
        self._subjects = Subjects()

    def answer(self, task: Task, /) -> Outcome:
        """How a task ended."""
        wall, cpu = time.monotonic(), time.process_time()
        try:
            rows = tuple(KINDS[task.kind](task, self._subjects.of(task), self._limits))
        except Changed:
            message = f"{task.protocol} means something else than when the sweep began, or where this task runs"
            again = f"{message}: a file that it reads was changed, say. Run the sweep again"
            return Outcome("refused", message=again, exit_code=int(ExitCode.INCONCLUSIVE))
        except EpochalError as error:
            return Outcome("refused", message=str(error), exit_code=int(error.exit_code))
        except MemoryError:
            return lost(task)
        except Exception as error:  # a bug in Epochal, or in what a specification runs: of this task alone
            message = f"{type(error).__name__}: {error}\n  {ExitCode.INTERNAL_ERROR.advice}"
            return Outcome("failed", message=message, exit_code=int(ExitCode.INTERNAL_ERROR))
        took = {
            "cpu_seconds": round(time.process_time() - cpu, 3),
            "wall_seconds": round(time.monotonic() - wall, 3),
            "memory_bytes": peak_memory(),
        }
        return Outcome("done", rows, took)

    def interrupt(self) -> None:
        """Nothing: a process of its own is ended."""


def lost(task: Task) -> Outcome:
    """The outcome of a task whose process has ended before it had an answer."""
    message = f"{task}: its process ended before it had an answer: for want of memory, say"
    return Outcome("lost", message=message, exit_code=int(ExitCode.ENGINE_FAILURE))
