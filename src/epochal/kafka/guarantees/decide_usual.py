"""Deciding the usual settings once: `python -m epochal.kafka.guarantees.decide_usual`, one search a task.

Tasks run in processes of this machine, or with `--master` on the executors of a Spark cluster.

What `usual_answers.json` has already for the same rules is kept. Where the text of the rules has changed the program is
compiled, and searched only if that is another one than before. The file is written again whenever a task is done, so
that nothing is lost if it is stopped.

A change of the compiler or of how digests are taken makes other digests of the same rules: `--digests` compiles every
case that is decided, searches nothing, and writes them again. Nothing is lost by that: an answer is found by the key of
its rules (`rules_key`), word for word and for what is asked only, so that what is compiled is what was searched.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from epochal.checker.base.files import write_atomically
from epochal.checker.base.installed import tool_version
from epochal.checker.base.numbers import counted
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import Answering
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.guarantees import BOUNDS, guarded
from epochal.spec.kraft.usual import UsualCase, usual_cases
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import reference_to
from epochal.spec.loading import instantiate

from . import decide_usual
from .cases import ASKED, FILE, Answer, holes_key, rules_key
from .decided import GuaranteeOptions, program_digest, searched

Task = tuple[str, dict[str, Any], dict[str, int]]
"""The key of a case, its settings and its bounds: plain data, which executors get."""

IN_FLIGHT = 64
"""How many searches are given out at a time."""


def kind_of(settings: Mapping[str, SettingValue]) -> type[ConfigurableKraft]:
    """The protocol of these settings, which many cases share: making one takes longer than finding its answer."""
    return _made(tuple(sorted(settings.items())))


@cache
def _made(settings: tuple[tuple[str, SettingValue], ...]) -> type[ConfigurableKraft]:
    return guarded(dict(settings))


def tasks(cases: Iterator[UsualCase]) -> dict[str, Task]:
    """The cases by their key, each protocol once; the shortest searches first."""
    found: dict[str, Task] = {}
    for case in cases:
        settings = {**case.settings, **case.fault.settings}
        key = rules_key(kind_of(settings), case.bounds, ASKED)
        found.setdefault(key, (key, settings, dict(case.bounds)))
    return dict(sorted(found.items(), key=lambda item: (_size(item[1][2]), item[0])))


def _size(bounds: Mapping[str, int]) -> tuple[int, int]:
    """About how large a search is: by replicas, then by what may go wrong."""
    return bounds["replication_factor"], bounds["crashes"] + bounds["lossy_crashes"] + bounds["fencings"]


def _is_of_today(answer: Answer, task: Task) -> bool:
    """Whether the bugs that are known now were looked at for an answer."""
    _, settings, bounds = task
    return answer["holes"] == holes_key(kind_of(settings), bounds, ASKED)


class Decider(Answering[Task, tuple[str, Answer]]):
    """Decides tasks, in a process of its own or on an executor. `known` are answers by the digest of their program."""

    def __init__(self, known: Mapping[str, Answer]) -> None:
        self._known = known

    def answer(self, task: Task, /) -> tuple[str, Answer]:
        """One search, or the answer that is known of the same compiled program."""
        key, settings, bounds = task
        kind = kind_of(settings)
        protocol = instantiate(kind, bounds)
        if self._known:
            digest = program_digest(compile_protocol(protocol, only=ASKED))
            if digest in self._known and _is_of_today(self._known[digest], task):
                return key, self._known[digest]
        _, answer, _ = searched(protocol, reference_to("kraft", kind), GuaranteeOptions(workers=1))
        return key, answer


def digested(answers: Mapping[str, Answer], wanted: Mapping[str, Task]) -> dict[str, Answer]:
    """The answers, with the digests of the programs as they are compiled now."""
    found: dict[str, Answer] = {}
    for number, (key, answer) in enumerate(answers.items(), start=1):
        _, settings, bounds = wanted[key]
        program = compile_protocol(instantiate(kind_of(settings), bounds), only=ASKED)
        found[key] = {**answer, "specification": program_digest(program)}
        if number % IN_FLIGHT == 0:
            print(f"{number} of {len(answers)}", file=sys.stderr)
    return found


def decided(todo: Sequence[Task], where: Where, known: Mapping[str, Answer]) -> Iterator[tuple[str, Answer]]:
    """The answers, as they come. Raises ClusterError if there is no cluster, WorkerLost if a process ends."""
    with apart(where, Decider, len(todo)) as engine:
        for first in range(0, len(todo), IN_FLIGHT):
            part = list(enumerate(todo[first : first + IN_FLIGHT]))
            for _, found in engine(known, part):
                yield found


def main(arguments: Sequence[str] | None = None) -> int:
    """Bring the file up to date."""
    parser = argparse.ArgumentParser(prog="python -m epochal.kafka.guarantees.decide_usual", description=__doc__)
    parser.add_argument("--master", help="the Spark master; without it tasks run in processes of this machine")
    parser.add_argument("--afresh", action="store_true", help="search everything again")
    parser.add_argument("--digests", action="store_true", help="write the digests again, and search nothing")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no search after so long")
    said = parser.parse_args(arguments)
    file = Path(__file__).with_name(FILE)
    wanted = tasks(usual_cases())
    before = {} if said.afresh or not file.exists() else json.loads(file.read_bytes())["answers"]
    answers = {key: before[key] for key, task in wanted.items() if key in before and _is_of_today(before[key], task)}
    if said.digests:
        _write(file, wanted, {**before, **digested(answers, wanted)})
        return 0
    todo = [task for key, task in wanted.items() if key not in answers]
    known = {answer["specification"]: answer for key, answer in before.items() if key not in wanted}
    print(f"{counted(len(answers), 'case')} decided already, {len(todo)} to decide", file=sys.stderr)
    where = Where("local" if said.master is None else "spark", None, said.master)
    begun = time.monotonic()
    for number, (key, answer) in enumerate(decided(todo, where, known) if todo else (), start=1):
        answers[key] = answer
        _write(file, wanted, {**before, **answers})
        print(
            f"{number} of {len(todo)}, {time.monotonic() - begun:.0f} s: {answer['states']:,} states", file=sys.stderr
        )
        if time.monotonic() - begun > said.seconds:
            print(f"{len(todo) - number} left: run it again", file=sys.stderr)
            break
    else:
        _write(file, wanted, answers)
    return 0


def _write(file: Path, wanted: Mapping[str, Task], answers: Mapping[str, Answer]) -> None:
    """The file: the same bytes for the same answers. Those of other rules come last; the last writing has none."""
    order = [*(key for key in wanted if key in answers), *sorted(answers.keys() - wanted.keys())]
    content = {
        "decided_by": f"epochal {tool_version()}",
        "bounds": BOUNDS,
        "answers": {key: answers[key] for key in order},
    }
    lines = json.dumps(content, separators=(",", ":")).replace('"},"', '"},\n"')
    write_atomically(file, lines + "\n")


if __name__ == "__main__":
    sys.exit(decide_usual.main())  # the module by its name: in a process of its own `__main__` is another one
