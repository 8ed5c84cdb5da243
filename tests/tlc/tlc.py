"""Runs TLC on exported modules, and reads what it says: states, depth, and the first property that is violated."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from epochal.checker.tla.module import TlaModule
from tests.benchmarks.tlc_speed import BRING, JAR

DIGEST = "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3"
"""The checksum of the jar, TLC 2.18: the newest that Maven Central serves."""


@dataclass(frozen=True)
class Said:
    """What TLC says. `states` and `depth` are of a complete search; `length` is the states of the run that it shows."""

    states: int | None
    depth: int | None
    violated: str
    length: int
    text: str


def missing() -> str:
    """What keeps TLC from running here; "" if nothing does."""
    if shutil.which("java") is None:
        return "java is not installed"
    if not JAR.is_file():
        return f"TLC is not at {JAR}: {BRING}"
    if hashlib.sha256(JAR.read_bytes()).hexdigest() != DIGEST:
        return f"{JAR} is not the jar that is pinned"
    return ""


def only(module: TlaModule, *properties: str) -> str:
    """The configuration of a module that checks these properties alone, and that variables have their types."""
    head, *lines = module.configuration.split("INVARIANTS\n")
    rest = "".join(lines)
    kept = [line for line in rest.splitlines() if line.startswith(("CONSTRAINTS", "SYMMETRY", "CHECK_DEADLOCK"))]
    constraints = re.findall(r"CONSTRAINTS\n((?:    \w+\n)+)", rest)
    of_runs = [name for name in properties if name in (*module.step_properties, *module.promises)]
    of_runs += [name for name in properties if re.search(rf"^\\\* PROPERTY {name}$", rest, re.MULTILINE)]
    of_states = ["TypeOK", *(name for name in properties if name not in of_runs and name != "TypeOK")]
    found = [head.rstrip(), "INVARIANTS", *(f"    {name}" for name in of_states)]
    found += ["PROPERTIES", *(f"    {name}" for name in of_runs)] if of_runs else []
    for line in kept:
        found.append(line)
        if line == "CONSTRAINTS":
            found += constraints[0].rstrip("\n").split("\n")
    return "\n".join(found) + "\n"


def run(module: TlaModule, configuration: str, folder: Path, seconds: float = 600) -> Said:
    """Search with TLC, by one worker: its depth is then that of a search level by level."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module.name}.tla").write_text(module.text, encoding="utf-8")
    (folder / f"{module.name}.cfg").write_text(configuration, encoding="utf-8")
    java = ["java", "-XX:+UseSerialGC", "-Xss64m", f"-Djava.io.tmpdir={folder}", "-cp", str(JAR.absolute())]
    command = [*java, "tlc2.TLC", "-workers", "1", "-metadir", "states", f"{module.name}.tla"]
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds
    )
    shutil.rmtree(folder / "states", ignore_errors=True)
    return read(done.stdout)


def read(text: str) -> Said:
    """What a report of TLC says."""
    complete = "Model checking completed. No error has been found." in text
    states = re.search(
        r"^\d+ states generated, (\d+) distinct states found, 0 states left on queue", text, re.MULTILINE
    )
    depth = re.search(r"^The depth of the complete state graph search is (\d+)\.", text, re.MULTILINE)
    violated = ""
    for pattern in (
        r"Error: Invariant (\w+) is violated",
        r"Error: Action property (\w+) is violated",
        r"Error: Temporal properties (were violated)",
        r"Error: (.*)",
    ):
        if found := re.search(pattern, text):
            violated = found[1]
            break
    length = len(re.findall(r"^State \d+:", text, re.MULTILINE)) or int("is violated by the initial state" in text)
    if not complete or states is None or depth is None:
        return Said(None, None, violated or "no end", length, text)
    return Said(int(states[1]), int(depth[1]), violated, length, text)
