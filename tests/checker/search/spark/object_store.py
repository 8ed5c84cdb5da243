"""A file system that behaves like an object store: no folders, and a file is there when it is complete."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from pyarrow import fs


class ObjectStore(fs.FileSystemHandler):  # type: ignore[misc]  # pyarrow has no types
    """Objects in memory, by their names. `written` has the names of all that were ever complete."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.written: list[str] = []

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
        return fs.FileInfo(path, fs.FileType.File, size=len(self.objects[path]))

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
                    store.objects[path] = self.getvalue()
                    store.written.append(path)
                super().close()

        return pa.PythonFile(Upload(), mode="w")

    def delete_file(self, path: str) -> None:
        del self.objects[path]

    def delete_dir(self, path: str) -> None:
        found = [name for name in self.objects if name.startswith(f"{path}/")]
        if not found:
            raise FileNotFoundError(path)
        for name in found:
            del self.objects[name]

    def _refused(self, *_: Any) -> Any:
        raise NotImplementedError("no part of Epochal does this")

    create_dir = delete_dir_contents = delete_root_dir_contents = move = copy_file = _refused
    open_append_stream = _refused
