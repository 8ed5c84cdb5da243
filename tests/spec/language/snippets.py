"""Specifications in files of their own, so that the lines of errors are lines of a file, and how they are refused."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.model import Model
from epochal.spec.language import LanguageError

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


def action(body: str) -> str:
    """A specification with one action."""
    return STATE + "    @action\n    def act(self) -> None:\n" + textwrap.indent(textwrap.dedent(body), " " * 8)


def rule(kind: str, body: str, signature: str = "self") -> str:
    """A specification with one property."""
    head = f"    @{kind}\n    def judge({signature}) -> bool:\n"
    return STATE + head + textwrap.indent(textwrap.dedent(body), " " * 8)


def compiled(module: Any) -> Model:
    """The compiled specification of a module."""
    return compile_protocol(module.Spec())


def refused(load: Load, text: str) -> LanguageError:
    """The error that a specification is refused with; it names the line marked `# here`."""
    module = load(text)
    with pytest.raises(LanguageError) as caught:
        compiled(module)
    error = caught.value
    assert error.where is not None, error
    assert error.where.line == line_of(module.path), error
    assert error.where.file.endswith(module.path.name)
    assert str(error).startswith(f"{error.where.file}:{error.where.line}: {error.message}")
    return error
