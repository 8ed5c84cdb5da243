"""The machine code of a search in a form that travels: object code, and the LLVM text for other processors."""

from __future__ import annotations

import ctypes
import hashlib
import platform
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from ...base.installed import TOOL, tool_version
from ...ir.model import Model
from ...native.engine import KERNEL_LEVEL, PROGRAM_LEVEL, constants, out_degree
from ...native.kernel.kernel import superstep_text
from ...native.llvm.jit import Compiler, MachineCode
from ...native.program.program import program_text
from .master import ClusterError

# -- versions ---------------------------------------------------------------------------------------------------------
# The versions that a driver and its executors must have in common, compared once in every process of an executor.
# Orders travel between them as objects of Python, and code as that of a machine. Where versions differ these may mean
# something else, or nothing. Of this package the code itself is compared: what is sent to executors has no version.


class Version(NamedTuple):
    """What has which version: in words, and as it is compared."""

    name: str
    said: str
    compared: str


Versions = tuple[Version, ...]


@lru_cache(maxsize=1)
def versions() -> Versions:
    """Those of this process, as they were when it was first asked."""
    import llvmlite

    python = ".".join(platform.python_version_tuple()[:2])
    code = _code()
    return (
        Version("Python", python, python),
        Version(TOOL, f"{tool_version()} (code {code[:8]})", code),
        Version("llvmlite", llvmlite.__version__, llvmlite.__version__),
    )


def _code() -> str:
    """A digest of the sources of this folder, wherever it was imported from."""
    digest = hashlib.blake2b(digest_size=16)
    found = {file.name: file for file in files(__package__).iterdir() if file.name.endswith(".py")}
    for name, file in sorted(found.items()):
        digest.update(name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=1)
def require_same(wanted: Versions) -> None:
    """Raise ClusterError unless this process has the versions of the driver. It says so in one line: Spark hands no
    more on.
    """
    here = {one.name: one for one in versions()}
    differing = [(here[one.name], one) for one in wanted if here[one.name].compared != one.compared]
    if differing:
        told = ", ".join(f"{ours.name} {ours.said} where the driver has {theirs.said}" for ours, theirs in differing)
        raise ClusterError(
            f"an executor on {platform.node()} has {told}. Install the driver's versions on every worker, or send an "
            "environment along (docs/spark.md, On a cluster)"
        )


@dataclass(frozen=True)
class Module:
    """A module of LLVM that travels, compressed: object code for processors like the driver's, and the text for others.
    `identity` says for which processor and which LLVM the object code was made."""

    text: bytes
    object: bytes
    identity: str
    level: int
    passes: bool

    @classmethod
    def made(cls, compiler: Compiler, text: str, level: int, passes: bool) -> Module:
        """Compile a module for distribution."""
        made = compiler.compile_and_keep(text, level, passes)
        return cls(zlib.compress(text.encode()), zlib.compress(made), compiler.identity, level, passes)

    def load(self) -> MachineCode:
        """The module made callable in this process."""
        compiler = Compiler()
        if compiler.identity == self.identity:
            return compiler.load(zlib.decompress(self.object))
        text = zlib.decompress(self.text).decode()
        return compiler.load(compiler.compile_and_keep(text, self.level, self.passes))

    @cached_property
    def code(self) -> MachineCode:
        """The same, loaded once. What has been loaded does not travel any more."""
        return self.load()


@dataclass(frozen=True)
class Program:
    """What an executor needs to search a model: nothing of the protocol but its code and the size of its states.
    `versions` are those of the driver."""

    words: int
    out_degree: int
    properties: int
    constants: tuple[int, ...]
    model: Module
    kernel: Module
    versions: Versions

    @property
    def instances(self) -> int:
        """The number of action instances."""
        return len(self.constants)

    @cached_property
    def digest(self) -> str:
        """What tells this program from any other: states, rules, properties and their order."""
        facts = f"{self.words} {self.properties} {self.constants}\n".encode()
        texts = [zlib.decompress(module.text) for module in (self.model, self.kernel)]
        return hashlib.blake2b(facts + b"\n".join(texts), digest_size=16).hexdigest()


def make_program(model: Model, text: str | None = None) -> Program:
    """Compile a model for distribution; `text` is that of the model, if somebody has it already.

    Raises LanguageError if it has too many instances or properties.
    """
    compiler, text = Compiler(), program_text(model) if text is None else text
    kernel = superstep_text(model.layout.words, bool(model.protocol.members("constraint")))
    return Program(
        words=model.layout.words,
        out_degree=out_degree(model),
        properties=len(model.properties),
        constants=constants(model),
        model=Module.made(compiler, text, PROGRAM_LEVEL, False),
        kernel=Module.made(compiler, kernel, KERNEL_LEVEL, True),
        versions=versions(),
    )


class Loaded:
    """A program made callable in this process."""

    def __init__(self, program: Program) -> None:
        self.program, self.model = program, program.model.load()
        self._kernel = kernel = program.kernel.load()
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        of_context = ("expand", "count_owners", "scatter", "evaluate_new")
        self.expand, self.count_owners, self.scatter, self.evaluate_new = (
            kernel.function(name, None, pointer) for name in of_context
        )
        self.insert: Any = kernel.function("insert", None, pointer, pointer, word)
        self.admit: Any = kernel.function("admit", None, pointer, pointer, word)
        self.find: Any = kernel.function("find", word, pointer, word, word, word)
        self.rehash: Any = kernel.function("rehash", None, pointer, pointer, word)
        self.to_columns, self.to_records = (
            kernel.function(name, None, pointer, pointer, pointer, word) for name in ("to_columns", "to_records")
        )


@lru_cache(maxsize=4)
def loaded(program: Program) -> Loaded:
    """The program made callable; once in each process. Raises ClusterError if that has other versions."""
    require_same(program.versions)
    return Loaded(program)
