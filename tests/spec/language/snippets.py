"""Specifications in files of their own, so that the lines of errors are lines of a file."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

HEAD = """\
from __future__ import annotations

import enum
import random
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from epochal.language import *

Small = Annotated[int, Integers(0, 3)]
Node = Annotated[Identifier, Identifiers("n", 2)]


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Point(Struct):
    x: Small
    on: bool


"""

STATE = """\
class Spec(Protocol):
    n: Small
    flag: bool
    node: Node
    maybe: Small | None
    color: Color
    numbers: Set[Small]
    table: Map[Node, Small]
    log: Annotated[Log[Small], Capacity(2)]
    points: Annotated[Log[Point], Capacity(2)]
    point: Point
    optional: Point | None

    def helper(self, value: int) -> int:
        return value

"""

Load = Callable[[str], ModuleType]


@pytest.fixture(name="load")
def loader(tmp_path: Path) -> Iterator[Load]:
    """Writes the text below `HEAD` to a file and imports it. The module's `path` is the file."""
    made: list[str] = []
    numbers = itertools.count()

    def write(text: str) -> ModuleType:
        path = tmp_path / f"specification_{next(numbers)}.py"
        path.write_text(HEAD + text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        made.append(path.stem)
        module.__dict__["path"] = path
        spec.loader.exec_module(module)
        return module

    yield write
    for name in made:
        sys.modules.pop(name, None)


def line_of(path: Path, marker: str = "# here") -> int:
    """The line of a file that has the marker."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(i for i, line in enumerate(lines, 1) if marker in line)
