"""Options of `kraft`, two and three at a time: what is asked, as one sweep, and what the answers were.

    python -m tests.spec.kraft.pairs --sweep pairs.json     # what is asked, and then
    epochal sweep pairs.json --out swept                    # which takes hours; --engine spark spreads it
    python -m tests.spec.kraft.pairs --alone alone.json swept
    epochal sweep alone.json --out swept-alone              # each option of a violated pair by itself, as it was there
    python -m tests.spec.kraft.pairs --keep swept-alone swept

The last writes `pairs.json.xz` beside this file, from which docs/reference/pairs.md is made. For a new option
`--sweep new.json --having OPTION --situation first` asks what there is to ask about it; answers to other questions
are kept. `--situation larger` asks the same pairs with one record and one fencing more, `--cut` only what was not
seen to its end.
"""

from __future__ import annotations

import argparse
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.spec.kraft.composed import (
    CORE,
    JOINED,
    OPTIONS,
    WIDEST,
    clashes,
    composed,
    includes,
    least_bug_of,
    spends,
)
from epochal.spec.kraft.options.min_isr_change import MinIsrChange
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import configuration_of, split_reference, with_configuration
from epochal.spec.loading import load_protocol
from tests.packed import pack_text, text_of

KEPT: Final = Path(__file__).with_name("pairs.json.xz")
MOST_STATES: Final[Mapping[bool, int]] = {False: 300_000, True: 1_000_000}
"""Where a search ends that has not ended by then, at the least bounds and at larger ones; the answer says so."""

TRIPLES: Final[tuple[tuple[str, ...], ...]] = (
    ("retention", "lost-fetch-answers", "unclean-cancellation"),
    ("future-logs", "directory-assignment", "replaced-directory"),
    ("directory-assignment", "lowered-min-isr", "unclean-cancellation"),
    ("producer-expiry", "producer-snapshots", "answer-checked-before"),
    ("raised-min-isr", "unclean-cancellation", "unregistered-broker"),
)
"""Three options that meet in one mechanism of Kafka."""


@dataclass(frozen=True)
class Situation:
    """What an operator chooses, and what may go wrong: no more than the design tolerates, or losses hide the rest."""

    min_insync_replicas: int

    def bounds(self, options: Iterable[str]) -> dict[str, int]:
        """The bounds of these options at once that are not the defaults of their protocol.

        Where one copy is enough, also for a while only, none may be lost (S24). Of two one may, but no second broker
        crashes then (N2): of the two kinds of crashes there are those that an option needs.
        """
        chosen = tuple(options)
        if self.min_insync_replicas == 1 or any(issubclass(OPTIONS[one], MinIsrChange) for one in chosen):
            return {"crashes": 1, "lossy_crashes": 0}
        if not any("crashes" in spends(one) for one in chosen):
            return {"crashes": 0}
        return {} if any("lossy_crashes" in spends(one) for one in chosen) else {"lossy_crashes": 0}


TWO_COPIES: Final = Situation(2)
ONE_COPY: Final = Situation(1)


LARGER: Final = ("records", "fencings")
"""The bounds that are one more where a pair is searched beyond the least."""


@dataclass(frozen=True)
class Question:
    """Some options at once, in a situation, at the least bounds that reach what they do, or at larger ones."""

    options: tuple[str, ...]
    situation: Situation
    larger: bool = False

    @property
    def protocol(self) -> str:
        """The name of the protocol that has these options."""
        return JOINED.join((CORE, *self.options))

    def table(self, kafka: str = "") -> dict[str, Any]:
        """What a sweep is asked."""
        said: dict[str, SettingValue] = {"kafka": kafka} if kafka else {}
        said["min_insync_replicas"] = self.situation.min_insync_replicas
        return asked(self.protocol, said, self.bounds(), self.larger)

    def bounds(self) -> dict[str, int]:
        """The bounds that are not the defaults of the protocol."""
        chosen = self.situation.bounds(self.options)
        if not self.larger:
            return chosen
        declared = composed(self.options).bounds_type().declared()
        return chosen | {one: min(declared[one].default + 1, declared[one].most) for one in LARGER}

    def key(self) -> tuple[tuple[str, ...], int, str]:
        """What an answer to this question is found by."""
        declared = composed(self.options).bounds_type().declared()
        bounds = {name: one.default for name, one in declared.items()} | self.bounds()
        return self.options, self.situation.min_insync_replicas, _key(bounds)


def asked(
    protocol: str, settings: Mapping[str, SettingValue], bounds: Mapping[str, int], larger: bool = False
) -> dict[str, Any]:
    """A search for all violations of invariants and action properties."""
    return {
        "check": protocol,
        "settings": dict(settings),
        "bounds": dict(bounds),
        "properties": judged(load_protocol(protocol)),
        "lemmas": True,  # there are none; so that nothing is compiled but what is asked
        "all-violations": True,
        "max-states": MOST_STATES[larger],
    }


def judged(kind: type[Any]) -> list[str]:
    """The properties that say what must never happen: not what must be possible, nor what must happen in the end."""
    protocol = kind()
    return [one.name for mark in ("invariant", "action_property") for one in protocol.members(mark)]


def every_pair() -> Iterator[tuple[str, str]]:
    """Two mechanisms, neither of which includes the other."""
    return (
        (one, other)
        for one, other in itertools.combinations(WIDEST, 2)
        if not includes(one, other) and not includes(other, one)
    )


def pairs() -> Iterator[tuple[str, str]]:
    """The pairs of options that can be composed. What an option includes comes with it."""
    return (pair for pair in every_pair() if not clashes(*pair))


def impossible() -> dict[tuple[str, str], str]:
    """The pairs that cannot be composed, with the reason."""
    return {pair: why[0] for pair in every_pair() if (why := clashes(*pair))}


def questions() -> list[Question]:
    """Everything that is asked: pairs and triples, each where two copies are enough and where one is.

    First the situation in which a known bug of one of the options shows; last that one at larger bounds.
    """
    first, second, larger = [], [], []
    for options in (*pairs(), *(in_order(one) for one in TRIPLES)):
        bugs = [bug for one in options if (bug := least_bug_of(one)) is not None]
        alone = any(bug.sound.min_insync_replicas == 1 for bug in bugs)
        situations = (ONE_COPY, TWO_COPIES) if alone else (TWO_COPIES, ONE_COPY)
        first.append(Question(options, situations[0]))
        second.append(Question(options, situations[1]))
        larger.append(Question(options, situations[0], larger=True))
    return [*first, *second, *larger]


SITUATIONS: Final = ("first", "second", "larger")


def about(options: Iterable[str], situation: str = "") -> list[Question]:
    """The questions in which one of these options is, all if there are none; in one of the situations, or in all."""
    wanted, every = frozenset(options), questions()
    third = len(every) // len(SITUATIONS)
    asked = every[SITUATIONS.index(situation) * third :][:third] if situation else every
    return [one for one in asked if not wanted or wanted.intersection(one.options)]


def in_order(options: Iterable[str]) -> tuple[str, ...]:
    """Options in the order in which a protocol's name has them."""
    return tuple(composed(options).name.split(JOINED)[1:])


# -- answers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What a search has found: the lengths of the runs that violate something. `cut` says that it ended early."""

    protocol: str
    settings: Mapping[str, SettingValue]
    bounds: Mapping[str, int]
    states: int
    depth: int
    cut: bool
    violated: Mapping[str, int]
    seconds: float

    @property
    def options(self) -> tuple[str, ...]:
        """The options that the protocol has."""
        return tuple(self.protocol.split(JOINED)[1:])


def answers(folder: Path) -> list[Answer]:
    """The answers of a sweep, in the order of its file."""
    seconds = {one["task"]: one["wall_seconds"] for one in _rows(folder / "measures.jsonl")}
    found = []
    for task, rows in itertools.groupby(_rows(folder / "results.jsonl"), key=lambda row: row["task"]):
        of_task = list(rows)
        protocol, settings = split_reference(of_task[0]["protocol"])
        violated = {row["property"]: row["length"] for row in of_task if row["verdict"] == "violated"}
        if failed := [row["note"] for row in of_task if row["verdict"] == "failed"]:
            raise ValueError(f"{of_task[0]['protocol']}: {failed[0]}")
        found.append(
            Answer(
                protocol,
                configuration_of(with_configuration(load_protocol(protocol), settings)),
                json.loads(of_task[0]["bounds"]),
                of_task[0]["states"],
                of_task[0]["depth"],
                not of_task[0]["exhaustive"],
                violated,
                round(seconds[task], 1),
            )
        )
    return found


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def alone(together: Iterable[Answer]) -> list[dict[str, Any]]:
    """What is asked of each option by itself, for a pair that violates something: the same, as far as it has bounds."""
    found: dict[str, dict[str, Any]] = {}
    for answer in together:
        if answer.violated:
            for option in answer.options:
                table = asked(JOINED.join((CORE, option)), answer.settings, within(option, answer.bounds), larger=True)
                found[json.dumps(table)] = table
    return list(found.values())


def within(option: str, bounds: Mapping[str, int]) -> dict[str, int]:
    """The bounds that an option has by itself."""
    declared = OPTIONS[option].bounds_type().declared()
    return {name: value for name, value in bounds.items() if name in declared}


def by_itself(answer: Answer, singles: Sequence[Answer]) -> dict[str, dict[str, int]]:
    """What each option of an answer violates alone, at the same bounds. Raises KeyError for what was not asked."""
    known = {(one.protocol, _key(one.settings), _key(one.bounds)): one for one in singles}
    return {
        option: dict(
            known[JOINED.join((CORE, option)), _key(answer.settings), _key(within(option, answer.bounds))].violated
        )
        for option in answer.options
    }


def _key(values: Mapping[str, object]) -> str:
    return json.dumps(dict(sorted(values.items())))


def only_together(violated: Mapping[str, int], alone: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """What is violated by all options together, and by none alone; or in a shorter run, which has another cause."""
    return {
        name: length
        for name, length in violated.items()
        if all(length < one.get(name, length + 1) for one in alone.values())
    }


# -- keeping ----------------------------------------------------------------------------------------------------------


def document(together: Sequence[Answer], singles: Sequence[Answer]) -> list[dict[str, Any]]:
    """The answers as they are kept: a line each."""
    larger = {one.key() for one in questions() if one.larger}
    found = [
        {
            "options": list(one.options),
            "settings": dict(one.settings),
            "bounds": dict(one.bounds),
            "states": one.states,
            "depth": one.depth,
            "cut": one.cut,
            "violated": dict(one.violated),
            "only together": only_together(one.violated, by_itself(one, singles)) if one.violated else {},
            "seconds": one.seconds,
        }
        for one in together
    ]
    return [{**row, "larger": True} if row_key(row) in larger else row for row in found]


def updated(before: Iterable[Mapping[str, Any]], found: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What is kept, with these rows in place of those to the same questions, in the order of the questions."""
    place = {
        one.key(): (one.situation.min_insync_replicas, one.larger, number) for number, one in enumerate(questions())
    }
    rows = {row_key(row): row for row in (*before, *found)}
    return [rows[key] for key in sorted(rows, key=place.__getitem__)]


def is_larger(row: Mapping[str, Any]) -> bool:
    """Whether a kept answer is of a search beyond the least bounds."""
    return bool(row.get("larger"))


def row_key(row: Mapping[str, Any]) -> tuple[tuple[str, ...], int, str]:
    """The key of the question that a kept answer is to."""
    return tuple(row["options"]), row["settings"]["min_insync_replicas"], _key(row["bounds"])


def kept() -> list[dict[str, Any]]:
    """The answers that are kept."""
    found: list[dict[str, Any]] = json.loads(text_of(KEPT))
    return found


def _keep(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    pack_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", path)


def main() -> None:
    """Write what is asked, or keep what was answered."""
    parser = argparse.ArgumentParser(description="Options of kraft, two and three at a time.")
    parser.add_argument("--sweep", metavar="FILE", type=Path, help="write what is asked of all pairs and triples")
    parser.add_argument("--having", metavar="OPTION", action="append", default=[], help="with --sweep: only with this")
    parser.add_argument("--situation", choices=SITUATIONS, default="", help="with --sweep: in one of two only")
    parser.add_argument("--cut", action="store_true", help="with --sweep: only what was asked, and not seen to its end")
    parser.add_argument("--kafka", metavar="RELEASE", default="", help="with --sweep: under the rules of a release")
    parser.add_argument("--alone", metavar="FILE", type=Path, help="write what is asked of each option by itself")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="keep the answers; DIR has those of single options")
    parser.add_argument("swept", nargs="*", metavar="SWEPT", type=Path, help="folders of answers, the last one counts")
    said = parser.parse_args()
    if said.sweep:
        cut = {row_key(row) for row in kept() if row["cut"]}
        chosen = [one for one in about(said.having, said.situation) if not said.cut or one.key() in cut]
        asked = [one.table(said.kafka) for one in chosen]
        said.sweep.write_text(json.dumps({"task": asked}), encoding="utf-8")
    together = latest(one for folder in said.swept for one in answers(folder))
    if said.alone:
        said.alone.write_text(json.dumps({"task": alone(together)}), encoding="utf-8")
    if said.keep:
        _keep(KEPT, updated(kept(), document(together, answers(said.keep))))


def latest(found: Iterable[Answer]) -> list[Answer]:
    """The last answer to each question."""
    return list({(one.protocol, _key(one.settings), _key(one.bounds)): one for one in found}.values())


if __name__ == "__main__":
    main()
