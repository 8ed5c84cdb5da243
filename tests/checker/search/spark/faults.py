"""Faults for distributed searches: hooks that fail a task or the driver at a named moment, once.

A hook may run in another process than the one that made it, so what it remembers is a file.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Once:
    """Acts the first time that a moment comes for a partition (or, of the driver, for a level)."""

    moment: str
    number: int
    mark: Path
    after: int = 0

    def __call__(self, moment: str, number: int) -> None:
        """Called by the tasks and by the driver."""
        if (moment, number) != (self.moment, self.number):
            return
        seen = len(list(self.mark.parent.glob(f"{self.mark.name}.*")))
        self.mark.with_name(f"{self.mark.name}.{seen}").touch()
        if seen == self.after:
            self.act()

    def act(self) -> None:
        """What goes wrong."""
        raise NotImplementedError

    @property
    def happened(self) -> bool:
        """Whether it did."""
        return self.mark.with_name(f"{self.mark.name}.{self.after}").exists()


class Fails(Once):
    """A task raises an exception."""

    def act(self) -> None:
        """Raise it."""
        raise OSError("a fault of the test")


class Dies(Once):
    """The process of a task, or the driver, is killed."""

    def act(self) -> None:
        """Kill this process."""
        os.kill(os.getpid(), signal.SIGKILL)


class LosesExecutor(Once):
    """The JVM that runs the executor is killed with everything that belongs to it."""

    def act(self) -> None:
        """Kill the parent of the daemon that this worker was forked by, which is the executor."""
        daemon = os.getppid()
        fields = Path(f"/proc/{daemon}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        os.kill(int(fields[1]), signal.SIGKILL)
        time.sleep(60)


class Waits(Once):
    """A task takes its time."""

    def act(self) -> None:
        """Be slow."""
        time.sleep(25)
