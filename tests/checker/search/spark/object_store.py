"""File systems in memory: one like an object store, where a file is there when it is complete, and one like HDFS, where
it is there as soon as it is opened, and the one of its name before is not. Their driver may be killed at any operation.
"""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from pyarrow import fs


class Killed(Exception):
    """The driver does nothing any more."""


class ObjectStore(fs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types
    """Objects in memory, by their names. Operations on those whose names are `watched` are counted.

    When so many as are `left` have been done, the driver is killed: it can do nothing any more.
    """

    def __init__(self, watched: tuple[str, ...] = ()) -> None:
        self.objects: dict[str, bytes] = {}
        self.watched, self.done, self.left = watched, 0, 1 << 60
        self._times: dict[str, float] = {}

    def operation(self, path: str) -> None:
        """One is done, or begun."""
        if self.done >= self.left:
            raise Killed
        self.done += path.startswith(self.watched)

    def _put(self, path: str, content: bytes) -> None:
        self.objects[path], self._times[path] = content, time.time()

    def get_type_name(self) -> str:
        return "objects"

    def normalize_path(self, path: str) -> str:
        return path

    def get_file_info(self, paths: Iterable[str]) -> list[Any]:
        return [self._info(path) for path in paths]

    def get_file_info_selector(self, selector: Any) -> list[Any]:
        return [self._info(name) for name in self.objects if name.startswith(f"{selector.base_dir}/")]

    def _info(self, path: str) -> Any:
        if path not in self.objects:
            return fs.FileInfo(path, fs.FileType.NotFound)
        return fs.FileInfo(path, fs.FileType.File, size=len(self.objects[path]), mtime=self._times[path])

    def open_input_file(self, path: str) -> Any:
        if path not in self.objects:
            raise FileNotFoundError(path)
        return pa.PythonFile(io.BytesIO(self.objects[path]), mode="r")

    def open_input_stream(self, path: str) -> Any:
        return self.open_input_file(path)

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        store = self

        class Upload(io.BytesIO):
            def close(self) -> None:
                if not self.closed:
                    content = self.getvalue()
                    super().close()  # first: one that was killed must not go on when it is collected as garbage
                    store.operation(path)
                    store._put(path, content)
                    store.operation(path)

        return pa.PythonFile(Upload(), mode="w")

    def delete_file(self, path: str) -> None:
        self.operation(path)
        del self.objects[path]
        self.operation(path)

    def delete_dir(self, path: str) -> None:
        self.operation(path)
        found = [name for name in self.objects if name.startswith(f"{path}/")]
        if not found:
            raise FileNotFoundError(path)
        for name in found:
            del self.objects[name]

    def _refused(self, *_: Any) -> Any:
        raise NotImplementedError("no part of Epochal does this")

    create_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _refused
    open_append_stream = _refused


class InPlace(ObjectStore):
    """Files that are written where they are: whoever is killed meanwhile leaves none of one, or half."""

    def open_output_stream(self, path: str, metadata: Any) -> Any:
        store = self
        store.operation(path)
        store._put(path, b"")
        store.operation(path)

        class Written(io.RawIOBase):
            def writable(self) -> bool:
                return True

            def write(self, content: Any) -> int:
                half = len(content) // 2
                for part in (content[:half], content[half:]):
                    store._put(path, store.objects[path] + bytes(part))
                    store.operation(path)
                return len(content)

        return pa.PythonFile(Written(), mode="w")
