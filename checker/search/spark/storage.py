"""The shared storage of a search: a folder that the driver and all executors see, by path or by `pyarrow.fs` URI."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from .background import supervised
from .errors import ClusterError

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
        if folder is None:
            opened, path = self._opened
            with opened.open_input_file(f"{path}/{name}") as remote:
                remote.seek(offset)
                while got < len(content) and (more := remote.readinto(content[got:])):
                    got += more
            return got
        with (folder / name).open("rb", buffering=0) as file:
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
        from pyarrow import fs

        opened, path = self._opened
        found = opened.get_file_info(fs.FileSelector(f"{path}/{folder}", allow_not_found=True, recursive=True))
        prefix = f"{path}/"
        return {info.path.removeprefix(prefix): info.size for info in found if info.is_file}

    def written(self, folder: str) -> dict[str, float]:
        """When the files below a folder were written, in seconds by the storage's clock. Raises OSError."""
        from pyarrow import fs

        opened, path = self._opened
        found = opened.get_file_info(fs.FileSelector(f"{path}/{folder}", allow_not_found=True, recursive=True))
        return {info.path.removeprefix(f"{path}/"): info.mtime_ns / 1e9 for info in found if info.is_file}

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
