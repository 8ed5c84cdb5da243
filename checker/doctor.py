"""What this machine offers, and what of it is not enough."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .base.cache import cache_folder, intruders
from .base.installed import accepted, found_solver
from .base.machine import memory_of_control_groups, processors
from .base.numbers import counted, sized

PYTHON_NEEDED = (3, 11)
MEMORY_NEEDED = 1 << 30


@dataclass(frozen=True)
class Examination:
    """One thing that was examined: whether it is good enough, what was found, and what to do if it is not."""

    subject: str
    ok: bool
    found: str
    advice: str = ""


def examined() -> list[Examination]:
    """Everything that is examined, in the order of the report."""
    return [
        _python(),
        _package("click", "draws the command line"),
        _package("rich", "draws reports on a terminal"),
        _package("networkx", "writes GraphML, and checks liveness in Python"),
        _compiler(),
        _solver(),
        _java(),
        _spark(),
        _processors(),
        _memory(),
        _writable("temporary folder", Path(tempfile.gettempdir()), "Set TMPDIR to a folder that you may write to."),
        _writable("working folder", Path.cwd(), "Give --out a folder elsewhere."),
        _cache(),
    ]


def _python() -> Examination:
    needed = ".".join(map(str, PYTHON_NEEDED))
    found = f"{platform.python_version()} ({sys.executable})"
    return Examination("Python", sys.version_info >= PYTHON_NEEDED, found, f"Use Python {needed} or newer.")


def _package(name: str, purpose: str) -> Examination:
    from importlib import metadata

    try:
        return Examination(name, True, f"{metadata.version(name)}; {purpose}")
    except metadata.PackageNotFoundError:
        return Examination(name, False, f"is missing; {purpose}", f"pip install {name}")


def _compiler() -> Examination:
    """Compile and run the smallest function: an installed llvmlite may still not fit the processor or the system."""
    advice = "pip install llvmlite; meanwhile use --engine python."
    try:
        import llvmlite
        from llvmlite import binding
    except ImportError as error:
        return Examination("llvmlite", False, f"cannot be imported: {error}", advice)
    try:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        machine = binding.Target.from_default_triple().create_target_machine()
        triple = machine.triple
        module = binding.parse_assembly("define i64 @answer() {\n  ret i64 42\n}\n")
        with binding.create_mcjit_compiler(module, machine) as compiler:
            compiler.finalize_object()
            compiled = compiler.get_function_address("answer") != 0
    except (RuntimeError, OSError) as error:
        return Examination("llvmlite", False, f"{llvmlite.__version__} cannot compile here: {error}", advice)
    found = f"{llvmlite.__version__}, LLVM {'.'.join(map(str, binding.llvm_version_info))}, for {triple}"
    return Examination("llvmlite", compiled, found, advice)


def _solver() -> Examination:
    found = found_solver()
    purpose = "proves; searches do without it"
    if found.problem:
        return Examination("Z3", False, found.problem, f"pip install '{accepted()}'; only proofs need it.")
    return Examination("Z3", True, f"{found.version}; {purpose}")


def _java() -> Examination:
    """Java is what Spark runs on; nothing else needs it."""
    from .search.spark.session import JAVA_NEEDED, java_problem, java_version, spark_installed

    if not spark_installed():
        return Examination("Java", True, "is not looked for: only Spark needs it, which is not installed")
    problem, (major, path) = java_problem(), java_version()
    if problem:
        missing = f"Java {major} at {path}" if major else "is missing"
        return Examination("Java", False, f"{missing}; --engine spark needs Java {JAVA_NEEDED}", problem)
    return Examination("Java", True, f"Java {major} at {path}; what --engine spark runs on")


def _spark() -> Examination:
    from importlib import metadata

    from .search.spark.session import spark_installed, spark_problem

    if not spark_installed():
        return Examination("PySpark", True, "is not installed; --engine spark needs it: pip install 'epochal[spark]'")
    problem = spark_problem()
    if problem:
        return Examination("PySpark", False, "is missing or too old; --engine spark needs it", problem)
    return Examination("PySpark", True, f"{metadata.version('pyspark')}, with pyarrow {metadata.version('pyarrow')}")


def _processors() -> Examination:
    return Examination("processors", True, f"{counted(processors(), 'core')} usable; {platform.machine()}")


def _memory() -> Examination:
    """The memory that this process may use: the machine's, or less in a container."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = memory_of_control_groups()
    usable = min(total, limit) if limit is not None else total
    kind = "" if usable == total else f" of {sized(total)} (limit of the container)"
    return Examination(
        "memory", usable >= MEMORY_NEEDED, f"{sized(usable)}{kind}", "Use small bounds, and --max-memory to be safe."
    )


def _cache() -> Examination:
    """A folder that others can write to is a problem; without one nothing is kept between runs, and all else works."""
    folder = cache_folder()
    there = next(one for one in (folder, *folder.parents) if one.exists())
    try:
        if there == folder and (problem := intruders(folder)):
            advice = "Make it yours alone (chmod 700), or set EPOCHAL_CACHE_DIR; until then it is not used."
            return Examination("cache folder", False, f"{folder} {problem}", advice)
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        return Examination("cache folder", True, f"none, as {there} cannot be written: {error.strerror or error}")
    return Examination("cache folder", True, f"{folder} {'is used' if there == folder else 'can be made'}")


def _writable(subject: str, folder: Path, advice: str) -> Examination:
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"epochal")
    except OSError as error:
        return Examination(subject, False, f"{folder}: {error.strerror or error}", advice)
    return Examination(subject, True, f"{folder} can be written")
