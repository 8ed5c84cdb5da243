"""What must not change while code is moved: hashes of what Epochal answers, one a line, in `tests/frozen.json`.

The file is written at the commit from which a refactoring starts, and goes with its last commit.

    python -m tests.freeze             compare, and name what differs
    python -m tests.freeze --write     take what is answered now
    python -m tests.freeze --only conform --texts FOLDER

A change that is meant stands in the commit that makes it, as the lines of `frozen.json` that it changes. With `--texts`
the answers themselves are written, so that those of two commits can be compared. `make frozen` builds the wheel and
asks that: the package as users have it, not the checkout.

Times, memory and the machine are left out; so is everything that is not the same in two runs of one commit.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import multiprocessing
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FROZEN = ROOT / "tests" / "frozen.json"

Question = tuple[str, ...]
"""The words of a command, after `epochal`."""

PLAINLY = ("--format", "json", "--progress", "none")
ALONE = (*PLAINLY, "--workers", "1")
"""The order of what two workers find is not the same in two runs; what they find is."""

OF_THE_MACHINE = frozenset(
    {
        "checkpoint",
        "cross_check",
        "cpu_seconds",
        "date",
        "peak_memory_bytes",
        "search_cpu_seconds",
        "search_wall_seconds",
        "seconds",
        "solver_seconds",
        "state_file_bytes",
        "state_memory_bytes",
        "wall_seconds",
    }
)
PROVED = ("kip-320-proof", "kip-279-proof", "kraft-proof", "quorum-proof", "quorum-vote-not-persisted-proof")
SMALL = ("truncate-to-hw", "kip-101", "kip-320", "async-isr", "quorum", "zookeeper", "leader-epoch-cache")
"""One of each family whose searches take seconds, for the commands that take more than a search."""
TINY = ("--replicas", "2", "--log-size", "1", "--records", "1", "--max-epoch", "1")


PLACES = re.compile(r"\b((?:spec|checker|cli|src)/[\w/]+\.py):\d+")
LINE = "line"
"""Lines of a source file, which move with every edit above them: in text, and as a member of a document."""
TIMES = re.compile(r"\b[0-9.,]+ (CPU )?(s|seconds|ms|minutes)\b")


def names() -> list[str]:
    """Every protocol that can be called by name, with those of the catalogue."""
    from epochal.spec.registry import REGISTRY, names_in_catalogue

    return sorted({*REGISTRY, *names_in_catalogue()})


def commands() -> dict[str, list[Question]]:
    """The questions by the part of the product that they ask."""
    from epochal.checker.trace.formats import FORMATS

    every = names()
    archives = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/evidence").rglob("*.tar.xz"))
    clusters = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/audit/clusters").iterdir())
    traces = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "counterexamples").glob("*.itf.json"))
    return {
        "check": [("check", name, "--max-states", "3000", *ALONE) for name in every],
        "python": [("check", name, "--max-states", "200", "--engine", "python", *PLAINLY) for name in every],
        "show": [("show", name) for name in every] + [("show", name, "--unbounded") for name in every],
        "simulate": [("simulate", name, "--seed", "7", "--runs", "20", *PLAINLY) for name in every],
        "liveness": [
            ("liveness", "kip-320", *TINY, *PLAINLY),
            ("liveness", "async-isr", *PLAINLY, "--max-offset", "1"),
        ],
        "bmc": [("bmc", name, "--length", "3", *PLAINLY) for name in SMALL],
        "prove": [("prove", name, "--no-cache", *ALONE) for name in PROVED],
        "unbounded": [("prove", "kip-320-proof", "--unbounded", "--no-cache", *ALONE)],
        "mutate": [("mutate", "kip-320", *TINY, *PLAINLY)],
        "compare": [
            ("compare", "kip-279", "kip-320", *TINY, *PLAINLY),
            ("compare", "kip-101", "kip-279", *TINY, *PLAINLY),
        ],
        "graph": [("graph", "truncate-to-hw", *TINY, "--format", form) for form in ("dot", "graphml", "json")],
        "catalogue": [("catalogue", "--list"), ("catalogue", "s1", "kip-101", "kafka-7235", *PLAINLY)],
        "guarantees": [
            ("guarantees", *words, *PLAINLY)
            for release in ("3.9", "4.0", "4.1", "4.4", "G9")
            for words in (("--kafka", release), ("--kafka", release, "--acks", "1"))
        ],
        "conform": [("conform", path, *PLAINLY) for path in archives],
        "audit": [("audit", path, "--no-search", *form) for path in clusters for form in (PLAINLY, ())],
        "trace": [("trace", "show", path) for path in traces]
        + [("trace", "export", path, "--to", form) for path in traces[::20] for form in FORMATS],
        "replay": [("replay", path, *PLAINLY) for path in traces[::3]],
        "gate": [("gate", "--engine", "native", *PLAINLY)],
        "words": [("list",), ("schema",), *((word, "--help") for word in subcommands()), ("explain",)],
    }


def subcommands() -> list[str]:
    """The names of all commands."""
    from epochal.cli.main import main

    return sorted(main.list_commands(None))  # type: ignore[arg-type]


# -- what is not asked by a command ----------------------------------------------------------------------------------


def meanings() -> Iterator[tuple[str, str]]:
    """Each protocol as it is compiled, at its default bounds: the digests of its rules, and the printed program."""
    from epochal.checker.gate.model_search import ModelSearch
    from epochal.checker.native.program.program import program_text
    from epochal.spec.loading import instantiate, load_protocol

    for name in names():
        search = ModelSearch(instantiate(load_protocol(name), {}), name)
        yield f"meaning {name}", repr(search.digests)
        yield f"program {name}", program_text(search.model)


def usual() -> Iterator[tuple[str, str]]:
    """The answers that come with the package, by the keys under which they are found."""
    from epochal.kafka.guarantees.cases import FILE

    text = files("epochal.kafka.guarantees").joinpath(FILE).read_text(encoding="utf-8")
    for key, answer in json.loads(text)["answers"].items():
        yield f"usual {key}", json.dumps(answer, sort_keys=True)


OTHERS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {"meaning": meanings, "usual": usual}


# -- asking ----------------------------------------------------------------------------------------------------------


def answered(words: Question) -> str:
    """What a command prints and ends with, without what differs from run to run."""
    from click.testing import CliRunner

    from epochal.cli.main import main

    done = CliRunner().invoke(main, list(words), prog_name="epochal")
    out = done.stdout
    if "json" in words:
        with contextlib.suppress(ValueError):  # what is refused prints no document
            out = json.dumps(_still(json.loads(out)), sort_keys=True, ensure_ascii=False, indent=1)
    out = out if "json" in words else TIMES.sub("TIME", out)
    return PLACES.sub(r"\1", f"{out}\n-- {done.exit_code}\n{TIMES.sub('TIME', done.stderr)}")


def _still(found: Any) -> Any:
    if isinstance(found, dict):
        return {key: _still(value) for key, value in found.items() if key not in (*OF_THE_MACHINE, LINE)}
    return [_still(one) for one in found] if isinstance(found, list) else found


def _asked(words: Question) -> tuple[str, str]:
    return " ".join(words), answered(words)


def texts(parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each question of these parts, with its answer."""
    asked = commands()
    for part in parts:
        if part in OTHERS:
            yield from OTHERS[part]()
    questions = [words for part in parts for words in asked.get(part, ())]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["EPOCHAL_CACHE_DIR"] = cache
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            yield from pool.imap_unordered(_asked, questions)


def digest(text: str) -> str:
    """A short hash of an answer."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def differences(before: dict[str, str], now: dict[str, str], whole: bool) -> list[str]:
    """What is not as it was, a line each; `whole` says whether every question was asked."""
    changed = [f"differs: {name}" for name in sorted(before.keys() & now.keys()) if before[name] != now[name]]
    added = [f"is new: {name}" for name in sorted(now.keys() - before.keys())]
    return changed + added + ([f"is gone: {name}" for name in sorted(before.keys() - now.keys())] if whole else [])


def main(arguments: Sequence[str]) -> int:
    """Compare or write; the exit code is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.freeze", description=(__doc__ or "").partition("\n")[0])
    every = [*OTHERS, *commands()]
    parser.add_argument("--write", action="store_true", help="take what is answered now")
    parser.add_argument("--only", action="append", choices=every, help="only this part; may be repeated")
    parser.add_argument("--texts", type=Path, help="write the answers themselves to this folder")
    given = parser.parse_args(arguments)
    os.chdir(ROOT)
    if not FROZEN.exists() and not given.write:
        parser.error(
            f"{FROZEN.relative_to(ROOT)} is not there: write it first, at the commit to compare with (--write)"
        )
    before = json.loads(FROZEN.read_text(encoding="utf-8")) if FROZEN.exists() else {}
    now: dict[str, str] = {}
    for name, text in texts(given.only or every):
        now[name] = digest(text)
        if given.texts is not None:
            given.texts.mkdir(parents=True, exist_ok=True)
            (given.texts / f"{digest(name)}.txt").write_text(f"{name}\n\n{text}", encoding="utf-8")
        if len(now) % 100 == 0:
            print(f"{len(now)} answers", file=sys.stderr, flush=True)
    if given.write:
        merged = {**(before if given.only else {}), **now}
        FROZEN.write_text(json.dumps(dict(sorted(merged.items())), indent=0) + "\n", encoding="utf-8")
        return 0
    found = differences(before, now, whole=not given.only)
    print(*found, f"{len(found)} of {len(now)} answers differ", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
