"""Turning LLVM text into callable machine code, with llvmlite."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm

Function = Any


class MachineCode:
    """Compiled functions of one LLVM module, callable through ctypes; calls release the interpreter lock."""

    def __init__(self, text: str, optimise: int) -> None:
        """`optimise` is LLVM's level, 0 to 3; 0 compiles some twenty times faster."""
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=optimise, jit=True
        )
        module = llvm.parse_assembly(text)
        module.triple = machine.triple
        module.data_layout = str(machine.target_data)
        if optimise:
            options = llvm.create_pipeline_tuning_options(speed_level=optimise)
            builder = llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a function."""
        return int(self._engine.get_function_address(name))

    def function(self, name: str, result: type[ctypes._SimpleCData[Any]] | None, *arguments: type[Any]) -> Function:
        """A function as a Python callable."""
        return ctypes.CFUNCTYPE(result, *arguments)(self.address(name))
