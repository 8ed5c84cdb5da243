"""The kernels' C as LLVM text: `python -m tests.checker.native.kernel.written` writes it, and a test compares.

A compiler is needed here alone: the text is in the repository and in the wheel. It is that of no machine: what depends
on a processor is left out, and LLVM is told of it when a search compiles the text.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from epochal.checker.ir.layout import SECRETS

FOLDER = Path(__file__).resolve().parents[4] / "checker" / "native" / "kernel"
OPTIONS = (
    *("-target", "x86_64-linux-musl", "-mcpu=baseline", "-std=c23", "-Wall", "-Wextra", "-Werror"),
    *("-S", "-emit-llvm", "-O2", "-g0", "-fno-sanitize=all", "-fno-strict-aliasing", "-fno-strict-overflow"),
    *(
        "-fno-stack-protector",
        "-fomit-frame-pointer",
        "-fno-asynchronous-unwind-tables",
        "-fno-ident",
        "-Wno-unused-command-line-argument",
    ),
    *("-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers"),
)
"""LLVM optimises when a search has filled in its constants, and not before."""

CONSTANTS = {
    "native.kernel.kernel": (
        *("FAILED_ON_STATE", "FAILED_ON_STEP", "FAILED_STEP", "FAILURE", "INITIAL", "LOCAL_BITS", "NO_INSTANCE"),
        *("COLUMNS_FROM", "COUNTED", "FINDING_WORDS", "IN_FLIGHT", "LINE", "ORIGIN_WORDS", "PART_WORDS", "PLACE_WORDS"),
        *("SLOT_INDEX", "STOP", "STRIDE", "TAKEN"),
    ),
    "native.llvm.instructions": ("LANES",),
    "native.program.eight": ("LOOK_CLOSER",),
    "native.program.program": ("EXTRA_WORDS", "INSTANCE_BITS"),
}
"""What Python and C must know alike, by the module that has it."""

KERNELS = {
    "search": ("native.kernel.kernel", "CONTEXT", ()),
    "liveness": (
        *("native.kernel.kernel", "LIVENESS_CONTEXT"),
        ("BOUNDED", "FAR", "OPEN", "OTHER", "OUTSIDE", "STAYS"),
    ),
    "superstep": ("native.kernel.kernel", "SUPERSTEP_CONTEXT", ("BATCH", "KEY_WORDS")),
}
"""For each kernel the module that knows it, the slots of its context there, and further constants."""

KEPT = ("alwaysinline", "noinline", "nounwind")
"""The attributes of functions that are kept: older versions of LLVM do not know some others."""


def made(kernel: str) -> str:
    """The LLVM text of a kernel, as the compiler of the wheel `ziglang` makes it."""
    home, context, own = KERNELS[kernel]
    lines = [f"#define DIGEST_SECRETS {', '.join(f'{secret}ull' for secret in SECRETS)}"]
    for module, names in [*CONSTANTS.items(), (home, own)]:
        values = vars(importlib.import_module(f"epochal.checker.{module}"))
        lines += [f"#define {name} {values[name]}{'ull' if values[name] >> 31 else ''}" for name in names]
    lines.append(f'#include "{kernel}.c"')
    slots = getattr(importlib.import_module(f"epochal.checker.{home}"), context)
    lines += [f"_Static_assert(__builtin_offsetof(struct context, {s}) == {8 * i});" for i, s in enumerate(slots)]
    lines.append(f"_Static_assert(sizeof(struct context) == {8 * len(slots)});")
    with tempfile.TemporaryDirectory() as folder:
        source, text = Path(folder) / "kernel.c", Path(folder) / "kernel.ll"
        source.write_text("\n".join(lines) + "\n")
        compiler = [sys.executable, "-m", "ziglang", "cc", *OPTIONS, f"-I{FOLDER}", str(source), "-o", str(text)]
        subprocess.run(compiler, check=True)
        return _of_no_machine(text.read_text())


def _of_no_machine(text: str) -> str:
    """The text without what names a machine, a file or a version of LLVM."""
    text = re.sub(r"(?m)^(; ModuleID|; Function Attrs|source_filename|target|!llvm\.module\.flags).*\n", "", text)
    text = re.sub(r" +; preds = .*", "", text)
    text = re.sub(r"(?m)^(attributes #\d+ = \{)(.*)\}$", _kept, text)
    return re.sub(r"\n{3,}", "\n\n", text.replace("dso_local ", "")).lstrip()


def _kept(attributes: re.Match[str]) -> str:
    known = set(re.findall(r"[a-z]+", attributes[2].split('"')[0]))
    return f"{attributes[1]} {' '.join(name for name in KEPT if name in known)} }}"


def main() -> None:
    """Write the text of every kernel."""
    for kernel in KERNELS:
        (FOLDER / f"{kernel}.ll").write_text(made(kernel))


if __name__ == "__main__":
    main()
