"""Processors that machine code is tested on: this one, also without its wider vectors, and others to compile for."""

from __future__ import annotations

import platform

import llvmlite.binding as llvm

from epochal.checker.native.llvm.jit import Compiler

WITHOUT: dict[str, tuple[str, ...]] = {"all": ()}
if platform.machine() in ("x86_64", "AMD64"):
    WITHOUT |= {"AVX2": ("-avx512f",), "neither": ("-avx512f", "-avx2", "-avx")}
"""Features that are taken away, for each kind of this processor that can be tested here."""

ELSEWHERE = [
    ("x86_64-unknown-linux-gnu", "x86-64-v4"),
    ("x86_64-unknown-linux-gnu", "x86-64-v3"),
    ("x86_64-unknown-linux-gnu", "x86-64"),
    ("aarch64-unknown-linux-gnu", "generic"),
    ("arm64-apple-darwin", "apple-m1"),
]
"""Systems and processors that the text must compile for, wherever the tests run."""


def compilers() -> dict[str, Compiler]:
    """A compiler for each kind of this processor."""
    return {name: Compiler(*without) for name, without in WITHOUT.items()}


def compiled_elsewhere(text: str, system: str, processor: str) -> bytes:
    """The object code of a module for another machine."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(system).create_target_machine(cpu=processor, opt=2)
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return bytes(machine.emit_object(module))
