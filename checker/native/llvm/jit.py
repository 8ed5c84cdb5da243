"""Turning LLVM text into callable machine code, with llvmlite.

Object code is kept in the user's cache folder under the digest of everything it depends on (the text, the processor,
the version of LLVM, the level of optimisation), so a protocol checked a second time starts with optimised code at once.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
from functools import cached_property
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ...base.cache import Cache, Key
from ...identity.engine import key

OBJECTS = Cache("objects", "o", most=3_000)


class Compiler:
    """Compiles LLVM modules for this machine, or for one like it without some features (`-avx512f`)."""

    def __init__(self, *without: str) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._target = llvm.Target.from_default_triple()
        self._cpu = llvm.get_host_cpu_name()
        self._features = ",".join([llvm.get_host_cpu_features().flatten(), *without])
        self._loaded: dict[str, MachineCode] = {}

    @cached_property
    def identity(self) -> str:
        """What object code depends on besides its text: code made under another identity may not run here."""
        return f"{llvmlite.__version__} {llvm.llvm_version_info} {self._target.triple} {self._cpu} {self._features}"

    def _machine(self, level: int) -> Any:
        return self._target.create_target_machine(cpu=self._cpu, features=self._features, opt=level, jit=True)

    def compile(self, text: str, level: int, passes: bool) -> bytes:
        """The object code of a module. `level` is LLVM's code generation level; `passes` runs its optimiser first."""
        machine = self._machine(level)
        module = llvm.parse_assembly(text)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        if passes:
            builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level))
            builder.getModulePassManager().run(module, builder)
        return bytes(machine.emit_object(module))

    def _key(self, recipe: str) -> Key | None:
        return key("machine code", self.identity, recipe)

    def kept(self, text: str, level: int, passes: bool) -> bytes | None:
        """The object code, if it was compiled before on this machine."""
        return self.kept_by(recipe_of(text, level, passes))

    def kept_by(self, recipe: str) -> bytes | None:
        """Likewise, by what `recipe_of` says of the text."""
        return OBJECTS.read(self._key(recipe))

    def compile_and_keep(self, text: str, level: int, passes: bool) -> bytes:
        """The object code, from the cache or compiled and then kept. A cache that cannot be written is not used."""
        found = self.kept(text, level, passes)
        if found is not None:
            return found
        made = self.compile(text, level, passes)
        if OBJECTS.write(self._key(recipe_of(text, level, passes)), made):
            OBJECTS.forget_oldest()
        return made

    def load(self, code: bytes) -> MachineCode:
        """Object code made callable."""
        return MachineCode(self._machine(0), code)

    def loaded(self, text: str, level: int, passes: bool) -> MachineCode:
        """The same code for the same text, from the cache or compiled and then kept."""
        recipe = recipe_of(text, level, passes)
        if recipe not in self._loaded:
            self._loaded[recipe] = self.load(self.compile_and_keep(text, level, passes))
        return self._loaded[recipe]


def recipe_of(text: str, level: int, passes: bool) -> str:
    """What tells a module, and how it is to be compiled, from every other."""
    return hashlib.blake2b(f"{level} {passes}\n{text}".encode(), digest_size=20).hexdigest()


class MachineCode:
    """Loaded functions of one module, callable through ctypes; calls release the interpreter lock."""

    def __init__(self, machine: Any, code: bytes) -> None:
        module = llvm.parse_assembly("")
        module.triple = machine.triple
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._addresses: dict[str, int] = {}

    def address(self, name: str) -> int:
        """The address of a function. LLVM is asked once: it may be busy in another thread for long."""
        if name not in self._addresses:
            self._addresses[name] = int(self._engine.get_function_address(name))
        return self._addresses[name]

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A function as a Python callable, which keeps the code that it is in."""
        found = ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
        vars(found)["code"] = self
        return found


# -- a process of its own ---------------------------------------------------------------------------------------------
# LLVM holds a lock in each process, so that a thread which optimises for ten seconds would keep the others from asking
# it for anything, and the search from ending. So a module may be compiled by a process beside a search that runs this.

NICE = 3
"""How far it stands back where processors are short: workers of the search get twice as much, and it does end."""


def main(level: str, passes: str) -> None:
    """Compile LLVM text from the input to object code on the output, and keep the code in the cache."""
    os.nice(NICE)
    text = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(Compiler().compile_and_keep(text, int(level), bool(int(passes))))


if __name__ == "__main__":
    main(*sys.argv[1:])
