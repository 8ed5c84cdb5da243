"""One driver at a time on a storage: by a lock where it is a folder of this machine, by a lease elsewhere.

An object store has no locks, but what was written is in every listing from then on (Amazon S3 since December 2020). So
a driver first writes a file of its own and then looks who else has one: of two that begin at once, one at least sees
the other. A working driver renews its file regularly. A driver that has not renewed in time, by the clock of the
storage, is considered dead. A driver that could not renew in time, or finds its file gone, writes nothing more: another
driver may have taken over the search.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...host.files import held
from .errors import ClusterError, ResumeRefused
from .storage import Storage, open_storage, unusable

DRIVERS = "drivers"
"""The folder with a file for each driver."""

BEAT = 10.0
"""Seconds between two signs of life."""

ENDED = 60.0
"""After so many seconds without one a driver has ended, for others."""

SILENT = 30.0
"""After so many seconds without one a driver records nothing: long before others take it for ended."""


def _now() -> float:
    """Seconds that also pass while the machine sleeps, where the system counts them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


StillAlone = Callable[[], None]
"""Raises ClusterError if another driver may have taken the storage over."""


@dataclass(frozen=True)
class Hold:
    """A driver's hold of a storage. `driver` is a name that no other has, and `require` is asked before it records.

    What is a driver's alone lies in folders of its name, so that it can remove nothing of another's.
    """

    driver: str
    require: StillAlone

    def remove_folder(self, storage: Storage, name: str) -> None:
        """Remove a folder of a cache, unless the storage may be another driver's: then it is that one's to remove."""
        with contextlib.suppress(ClusterError):
            self.require()
            storage.remove_folder(name)

    def remove_own(self, storage: Storage, name: str) -> None:
        """Remove what this driver has in a folder, and the folder if nobody else has anything there."""
        self.remove_folder(storage, f"{name}/{self.driver}")
        storage.remove_empty_folder(name)


@contextlib.contextmanager
def used_alone(uri: str) -> Iterator[Hold]:
    """Hold a storage as long as a driver uses it.

    Raises ResumeRefused if another driver uses it, ClusterError if it cannot be used at all.
    """
    storage = open_storage(uri)
    with _locked(storage) if storage.local is not None else Lease(storage, BEAT).held() as still_alone:
        yield Hold(uuid.uuid4().hex[:12], still_alone)


@contextlib.contextmanager
def _locked(storage: Storage) -> Iterator[StillAlone]:
    """On a file system: whoever ends, however that is, lets go."""
    assert storage.local is not None, "a lock needs a file system"
    with contextlib.ExitStack() as opened:
        try:
            alone = opened.enter_context(held(storage.local))
        except OSError as error:
            raise unusable(storage.uri, error) from error
        if not alone:
            raise ResumeRefused(
                f"another run is using the storage {storage.uri}.\n"
                "  Wait until it ends, or give this run a folder of its own: --storage DIR."
            )
        yield lambda: None


class Lease:
    """A driver's sign of life in a storage."""

    def __init__(self, storage: Storage, beat: float = BEAT) -> None:
        self._storage, self._beat = storage, beat
        self._name = f"{DRIVERS}/{uuid.uuid4().hex[:12]}.json"
        self._who = json.dumps({"host": socket.gethostname(), "process": os.getpid()}).encode()
        self._written, self._lost = _now(), ""
        self._over = threading.Event()

    @contextlib.contextmanager
    def held(self) -> Iterator[StillAlone]:
        """Hold the storage. Raises ResumeRefused if another driver does, ClusterError if it cannot be written to."""
        try:
            self._write()
            self._refuse_others()
        except OSError as error:
            self._remove(self._name)
            raise unusable(self._storage.uri, error) from error
        except ResumeRefused:
            self._remove(self._name)
            raise
        beating = threading.Thread(target=self._live, name="lease", daemon=True)
        beating.start()
        try:
            yield self.still_alone
        finally:
            self._over.set()
            beating.join()
            self._remove(self._name)

    def still_alone(self) -> None:
        """Raise ClusterError if others may take this driver for ended."""
        self._notice(_now())
        if self._lost:
            raise ClusterError(
                f"the storage {self._storage.uri} {self._lost}, so this one records nothing more.\n"
                "  See to the storage, then go on: --resume last."
            )

    def _notice(self, now: float) -> None:
        """Remember for good if there was no sign of life for too long."""
        silent = now - self._written
        if silent > SILENT and not self._lost:
            self._lost = f"could not be written to for {silent:.0f} s: another run may have gone on from it"

    def _live(self) -> None:
        while not self._over.wait(self._beat):
            with contextlib.suppress(OSError):  # tried again; `still_alone` says when it has been too long
                self._sign()

    def _sign(self) -> None:
        """Give a sign of life, unless another driver has removed the last one."""
        if self._name not in self._storage.written(DRIVERS):
            self._lost = self._lost or "has been taken over by another run"
        if not self._lost:
            self._write()

    def _write(self) -> None:
        begun = _now()
        self._storage.write(self._name, self._who)
        self._notice(begun)
        self._written = begun

    def _refuse_others(self) -> None:
        """Raise ResumeRefused if another driver lives; remove the files of those that have ended."""
        written = self._storage.written(DRIVERS)
        if self._name not in written:
            raise OSError(f"{self._name} was written, and is not listed")
        now = written.pop(self._name)
        for name, at in sorted(written.items()):
            silent = now - at
            if silent < ENDED:
                raise ResumeRefused(
                    f"another run is using the storage {self._storage.uri}: {self._of(name)}, seen {silent:.0f} s"
                    " ago.\n  Wait until it ends (if it was killed: "
                    f"{ENDED:.0f} s), or give this run a storage of its own: --storage URI."
                )
            self._remove(name)

    def _of(self, name: str) -> str:
        """Who a driver is, in words."""
        try:
            who = json.loads(self._storage.read(name).to_pybytes())
            return f"process {who['process']} on {who['host']}"
        except (OSError, ValueError, LookupError, TypeError):
            return f"a driver that has written {name}"

    def _remove(self, name: str) -> None:
        """Leave no file. Where that fails it is left, and counts for as long as any other."""
        with contextlib.suppress(OSError):
            self._storage.remove(name)
