"""Results by content: what did not change is not solved again, and nothing that is wrong in the cache is believed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.base.cache import Cache, Key
from epochal.checker.identity import engine as identity
from epochal.checker.solver.answer import SPENT, Assumptions, SolverResult
from epochal.checker.solver.dispatch import Numbered, Progress, QueryRunner, in_this_process
from epochal.checker.solver.induction import (
    RLIMIT,
    Induction,
    ObligationResult,
    ProofResult,
    Questions,
    prepared,
    prove,
)
from epochal.checker.trace.itf import dumps
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import Protocol
from tests.zoo.rows import Row, made, rows

SMALL = ClassicBounds(2, 1, 1, 1)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of its own for each test."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Counting:
    """An engine that counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(
        self, premises: Assumptions, questions: Sequence[Numbered]
    ) -> Iterator[tuple[int, tuple[SolverResult, ...]]]:
        self.asked += len(questions)
        return in_this_process(premises, questions)


def content(result: ProofResult) -> list[tuple[str, str, str, str, tuple[str, ...]]]:
    """Everything that a proof says, but for times and where answers came from."""

    def of(answer: ObligationResult) -> tuple[str, str, str, str, tuple[str, ...]]:
        trace = dumps(answer.trace) if answer.trace is not None else ""
        return answer.obligation.label, answer.verdict, answer.reason, trace, answer.core

    return [of(answer) for answer in result.answers]


@pytest.mark.parametrize("kind", [Kip320Proof, Kip279Proof])
def test_nothing_is_solved_twice(kind: type[Protocol]) -> None:
    """The second proof asks nothing and says the same, counterexamples and used lemmas included."""
    engine = Counting()
    first = prove(kind(SMALL), ask=QueryRunner(engine, cached=True))
    asked, actions = engine.asked, len(first.protocol.members("action")) if first.exit_code == 0 else 0
    assert asked == len(first.model.instances) + 3 + actions and first.from_cache == 0
    again = prove(kind(SMALL), ask=QueryRunner(engine, cached=True))
    assert engine.asked == asked
    assert again.from_cache == sum(answer.asked and answer.obligation.kind != "initiation" for answer in again.answers)
    assert again.solver_seconds == 0
    assert content(again) == content(first)
    without = prove(kind(SMALL), ask=QueryRunner(engine, cached=False))
    assert engine.asked == 2 * asked and without.from_cache == 0
    assert content(without) == content(first)


Two: type[Any] = made(
    globals(),
    "Protocol",
    """
    Two: Two numbers.
        bounds: Bounds
        a: Annotated[int, Integers(0, 3)]
        b: Annotated[int, Integers(0, 3)]
        action one: Raise the first.
            require(self.a < 3)
            self.a += 1
        action other: Raise the second.
            require(self.b < self.a)
            self.b += 1
        lemma ordered: The second is at most the first.
            return self.b <= self.a
        invariant small: The second is small as long as the first is.
            return self.b < 3 or self.a == 3
    """,
)


ALL = 5
"""The questions of a proof of Two: each action, the property, and whether each action can happen at all."""


CHANGED = rows(
    globals(),
    "Two",
    """
    SameMeaning: 0
        def one(self) -> None:
            require(not (self.a >= 3))
            before = self.a
            self.a = 1 + before
    OneChanged: 2
        # Of a changed action it is asked what it does and whether it happens.
        def one(self) -> None:
            require(self.a < 2)
            self.a += 2
    LemmaChanged: 5
        # Another lemma changes what all lean on.
        def ordered(self) -> bool:
            return self.b <= self.a and self.a + self.b < 8 and (self.a > 0 or self.b == 0)
    """,
)
"""How many questions are asked again after a change."""


def asked_after(kind: type[Protocol], rlimit: int = RLIMIT) -> int:
    """How many questions are asked about a protocol when Two has been proved."""
    prove(Two(), ask=QueryRunner(in_this_process, cached=True))
    engine = Counting()
    prove(kind(), rlimit=rlimit, ask=QueryRunner(engine, cached=True))
    return engine.asked


@pytest.mark.parametrize("row", CHANGED.values(), ids=CHANGED)
def test_only_what_changed_is_solved_again(row: Row) -> None:
    assert asked_after(Two) == 0
    assert asked_after(row.kind) == int(row.expected)


def test_the_limit_and_the_version_are_part_of_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other effort, or another Z3, may give another answer."""
    assert asked_after(Two, rlimit=RLIMIT - 1) == ALL
    with monkeypatch.context() as patch:
        told = identity.versions()
        patch.setattr(identity, "versions", lambda: {**told, "z3-solver": "5.9"})
        engine = Counting()
        prove(Two(), ask=QueryRunner(engine, cached=True))
        assert engine.asked == ALL
    assert asked_after(Two) == 0


def test_every_part_of_a_question_is_part_of_its_key() -> None:
    questions = Questions(prepared(Two(), None), RLIMIT)
    question = questions.of_instance(questions.plan.model.instances[1], questions.plan.lemmas, questions.plan.lemmas)
    others: dict[str, Any] = {
        "rows": (*question.rows, question.rows[0]),
        "assumed": (),
        "rlimit": 5,
        "enabled": None,
        "updates": (),
        "failures": (0,),
        "stays_typed": (0,),
        "preserved": (),
        "properties": (0,),
        "least": False,
    }
    assert set(others) == set(vars(question))
    keys = {replace(question, **{name: value}).key(questions.premises) for name, value in others.items()}
    assert len(keys | {question.key(questions.premises)}) == len(others) + 1
    premises = questions.premises
    changed = [
        replace(premises, leaves=premises.leaves[:1]),
        replace(premises, rows=premises.rows[:1]),
        replace(premises, typed=(0,)),
        replace(premises, constraint=premises.constraint + 1),
        replace(premises, lemmas=()),
    ]
    assert len({p.key for p in (premises, *changed)}) == 6


@pytest.mark.parametrize("damage", ["torn", "changed", "empty", "other"])
def test_a_corrupt_entry_is_ignored(damage: str, empty_cache: Path) -> None:
    """An entry whose checksum is wrong is solved again, and mended."""
    expected = content(prove(Two(), ask=QueryRunner(in_this_process, cached=True)))
    entries = sorted((empty_cache / "proofs").iterdir())
    assert len(entries) == ALL
    for entry in entries:
        stored = entry.read_bytes()
        changed = bytes([stored[2] ^ 1])
        damaged = {"torn": stored[:-9], "changed": stored[:2] + changed + stored[3:], "empty": b"", "other": b"{}"}
        assert damaged[damage] != stored
        entry.write_bytes(damaged[damage])
    engine = Counting()
    assert content(prove(Two(), ask=QueryRunner(engine, cached=True))) == expected
    assert engine.asked == ALL
    assert content(prove(Two(), ask=QueryRunner(engine, cached=True))) == expected
    assert engine.asked == ALL


def test_a_cache_that_cannot_be_written_is_not_used(empty_cache: Path) -> None:
    empty_cache.write_text("a file where the folder should be", encoding="utf-8")
    engine = Counting()
    for _ in range(2):
        assert prove(Two(), ask=QueryRunner(engine, cached=True)).exit_code == 0
    assert engine.asked == 2 * ALL


def test_an_answer_for_want_of_anything_but_effort_is_not_kept() -> None:
    """A spent limit comes again, a lack of memory may not."""

    def gives_up(reason: str) -> QueryRunner:
        def engine(
            premises: Assumptions, questions: Sequence[Numbered]
        ) -> Iterator[tuple[int, tuple[SolverResult, ...]]]:
            for number, question in questions:
                count = max(len(question.preserved) + 1, len(question.properties))
                yield (
                    number,
                    (SolverResult("unknown", 0.0, reason=reason),) * (count if question.enabled is not None else 1),
                )

        return QueryRunner(engine, cached=True)

    engine = Counting()
    assert prove(Two(), ask=gives_up("memout")).exit_code == 31
    prove(Two(), ask=QueryRunner(engine, cached=True))
    assert engine.asked == ALL
    assert prove(Two(), rlimit=7, ask=gives_up(SPENT)).exit_code == 31
    assert prove(Two(), rlimit=7, ask=QueryRunner(engine, cached=True)).exit_code == 31
    assert engine.asked == ALL


def test_the_cache_stays_small(empty_cache: Path) -> None:
    small = Cache("few", "bin", most=2)
    for number in range(4):
        assert small.write(Key(f"k{number}"), bytes([number]))
        (empty_cache / "few" / f"k{number}.bin").touch()
        small.forget_oldest()
    assert small.read(Key("k3")) == b"\x03"
    assert len(list((empty_cache / "few").iterdir())) == 2


def test_what_takes_long_before_the_first_question_is_told() -> None:
    """That it is compiling, now and then, and no more once it has ended."""
    told: list[Progress] = []
    ask = QueryRunner(in_this_process, cached=False, progress=told.append, every=0.001)
    with ask.compiling():
        plan = prepared(Kip320Proof(SMALL), None)
    count = len(told)
    assert count > 0 and {(now.compiling, now.asked) for now in told} == {(True, 0)}
    list(Induction(plan, RLIMIT, ask).answers())
    assert len(told) == count + told[-1].asked and not told[-1].compiling


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    """Each question alone, and all in the opposite order: the same counterexamples."""
    induction = Induction(prepared(Kip279Proof(SMALL), None), RLIMIT)
    plan = induction.plan
    questions = Questions(plan, RLIMIT)
    asked = [questions.of_instance(c, plan.lemmas, plan.affected(c)) for c in plan.model.instances]
    numbered = list(enumerate(asked))

    def told(found: Iterator[tuple[int, tuple[SolverResult, ...]]]) -> dict[int, list[object]]:
        return {number: [(f.verdict, f.codes, f.core) for f in answers] for number, answers in found}

    forwards = told(in_this_process(questions.premises, numbered))
    backwards = told(in_this_process(questions.premises, numbered[::-1]))
    assert forwards == backwards
    for number in (0, len(asked) // 2, len(asked) - 1):
        alone = told(in_this_process(questions.premises, [numbered[number]]))
        assert alone[number] == forwards[number]
