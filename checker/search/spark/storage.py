"""The shared storage of a search: a folder that the driver and all executors see, by path or by `pyarrow.fs` URI."""

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
from functools import cached_property
from pathlib import Path
from typing import Any

from ...base.files import held
from ...base.processes import supervised
from .master import ClusterError, ResumeRefused

Bytes = bytes | bytearray | memoryview


@dataclass(frozen=True)
class Storage:
    """A folder on a file system. On a local one (or one mounted everywhere) files are written beside and renamed, and
    are on the disk before they count; an object store makes an object visible only when it is complete.
    """

    uri: str

    @cached_property
    def _opened(self) -> tuple[Any, str]:
        from pyarrow import fs

        if "://" not in self.uri:
            return fs.LocalFileSystem(), str(Path(self.uri).absolute())
        opened, path = fs.FileSystem.from_uri(self.uri)
        return opened, path

    @property
    def local(self) -> Path | None:
        """The folder, if it is one of this machine's file system."""
        opened, path = self._opened
        return Path(path) if opened.type_name == "local" else None

    def path(self, name: str) -> str:
        """Where a file lies, for messages."""
        return f"{self.uri.rstrip('/')}/{name}"

    def read(self, name: str) -> Any:
        """The content of a file as an Arrow buffer. Raises FileNotFoundError, or another OSError."""
        opened, path = self._opened
        with opened.open_input_file(f"{path}/{name}") as file:
            return file.read_buffer()

    def read_part(self, name: str, offset: int, size: int) -> bytes:
        """Some bytes of a file, fewer at its end. Raises FileNotFoundError, or another OSError."""
        opened, path = self._opened
        with opened.open_input_file(f"{path}/{name}") as file:
            found: bytes = file.read_at(size, offset)
            return found

    def read_into(self, name: str, offset: int, content: memoryview) -> int:
        """Fill memory with the bytes of a file from a place on; how many there were. Raises OSError."""
        folder, got = self.local, 0
        opened, path = self._opened
        with opened.open_input_file(f"{path}/{name}") if folder is None else (folder / name).open("rb", 0) as file:
            file.seek(offset)
            while got < len(content) and (more := file.readinto(content[got:])):
                got += more
        return got

    def create(self, name: str) -> Stream:
        """A new file to write to, which is not forced to the disk. Raises OSError."""
        folder = self.local
        if folder is None:
            opened, path = self._opened
            return Stream(self, name, opened.open_output_stream(f"{path}/{name}"))
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        return Stream(self, name, target.open("xb", buffering=0))

    def write(self, name: str, content: Bytes) -> None:
        """Write a whole file, or leave what was there. Raises OSError."""
        folder = self.local
        if folder is None:
            # In another thread: Ctrl-C in between would close the stream early, and half a file would be there.
            supervised(lambda: self._write_remote(name, content), lambda: None, lambda: None)
            return
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise

    def _write_remote(self, name: str, content: Bytes) -> None:
        opened, path = self._opened
        with opened.open_output_stream(f"{path}/{name}") as stream:
            stream.write(content)

    def sizes(self, folder: str) -> dict[str, int]:
        """The sizes of the files below a folder, by name relative to the storage."""
        return {name: info.size for name, info in self._files(folder)}

    def written(self, folder: str) -> dict[str, float]:
        """When the files below a folder were written, in seconds by the storage's clock. Raises OSError."""
        return {name: info.mtime_ns / 1e9 for name, info in self._files(folder)}

    def _files(self, folder: str) -> Iterator[tuple[str, Any]]:
        from pyarrow import fs

        opened, path = self._opened
        found = opened.get_file_info(fs.FileSelector(f"{path}/{folder}", allow_not_found=True, recursive=True))
        yield from ((info.path.removeprefix(f"{path}/"), info) for info in found if info.is_file)

    def remove(self, name: str) -> None:
        """Remove a file that no manifest names."""
        opened, path = self._opened
        opened.delete_file(f"{path}/{name}")

    def remove_folder(self, name: str) -> None:
        """Remove a folder of a cache, if there is one. Where that fails it is left: nobody reads it any more."""
        opened, path = self._opened
        with contextlib.suppress(OSError):
            opened.delete_dir(f"{path}/{name}")

    def remove_empty_folder(self, name: str) -> None:
        """Remove a folder of a local file system, if it is there and has nothing in it; elsewhere there is none."""
        if self.local is not None:
            with contextlib.suppress(OSError):
                (self.local / name).rmdir()


@dataclass(frozen=True)
class Stream:
    """A file of a storage that is being written."""

    storage: Storage
    name: str
    file: Any

    def write(self, content: memoryview) -> None:
        """Write all of it. Raises OSError."""
        done = 0
        while done < len(content):
            written = self.file.write(content[done:])
            done = len(content) if written is None else done + written

    def close(self) -> None:
        """The file is complete. Raises OSError."""
        self.file.close()

    def abandon(self) -> None:
        """Leave no file, where that can be had: whoever failed has an error already."""
        with contextlib.suppress(OSError):
            self.file.close()
            self.storage.remove(self.name)


def open_storage(uri: str) -> Storage:
    """A storage that answers. Raises ClusterError if it cannot be used."""
    storage = Storage(uri)
    try:
        storage.sizes("log")
        if storage.local is not None:
            storage.local.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, NotImplementedError) as error:
        raise unusable(uri, error) from error
    return storage


def unusable(uri: str, error: Exception) -> ClusterError:
    """What to say of a storage that does not answer."""
    return ClusterError(
        f"the storage {uri} cannot be used: {error}.\n"
        "  Give a folder that the driver and every executor can write to: a shared path, or a URI that pyarrow.fs "
        "knows (s3://, gs://, hdfs://)."
    )


# -- lease ------------------------------------------------------------------------------------------------------------
# One driver at a time on a storage: by a lock where it is a folder of this machine, by a lease elsewhere.
#
# An object store has no locks, but what was written is in every listing from then on (Amazon S3 since December 2020).
# So a driver first writes a file of its own and then looks who else has one: of two that begin at once, one at least
# sees the other. A working driver renews its file regularly. A driver that has not renewed in time, by the clock of the
# storage, is considered dead. A driver that could not renew in time, or finds its file gone, writes nothing more:
# another driver may have taken over the search.

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
