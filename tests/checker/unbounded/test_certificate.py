"""Certificates: what was proved is proved again from few hypotheses, and no certificate proves what is wrong."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.parametric.terms import (
    BOOL,
    IDENTIFIER,
    INT,
    Bound,
    Symbol,
    add,
    anything,
    apply,
    constant,
    forall,
    ite,
    le,
    or_,
    scale,
    variable,
)
from epochal.checker.solver.induction import EVALUATION, IMPLICATION
from epochal.checker.unbounded import certificate, oracle
from epochal.checker.unbounded.certificate import Certificate
from epochal.checker.unbounded.ladder import Climber, Effort, Part
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.premises import Premises, ProofOutline
from epochal.checker.unbounded.proof import Asking, Cell, known_outlines, unbounded_proof, with_outlined
from epochal.checker.unbounded.question import Question
from epochal.checker.workers.pool import Interrupted, one_by_one
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.language import Protocol
from epochal.spec.classic.kip_320_proof import Kip320Proof
from tests.checker.unbounded.test_proof import WRONG, Lock, LockBounds, prove
from tests.zoo.rows import made

PARTS: tuple[Part, ...] = ("lower", "oracle")

Circle: type[Any] = made(
    globals(),
    "Protocol",
    """
    Circle: Two lemmas that say the same, and a step that breaks both.
        bounds: LockBounds
        broken: bool
        action fall
            self.broken = True
        lemma one
            return not self.broken
        lemma other
            return not self.broken
        invariant whole
            return not self.broken
    """,
)


NESTED = "".join(f', ["app", "f", "", "int", {n}]' for n in range(2_000))


def cells(plan: UnboundedPlan) -> list[Cell]:
    """All cells of a plan, of which nothing was asked."""
    return [Cell(one, "unknown", tuple(range(len(one.questions)))) for one in plan.obligations()]


def asking() -> Asking:
    """Somebody who asks here, and keeps nothing."""
    return Asking(partial(one_by_one, Climber), False, 20_000)


def test_what_is_proved_is_proved_again_from_its_certificate(tmp_path: Path) -> None:
    first = prove(Lock, certified=True)
    path = tmp_path / certificate.file_name(Lock)
    path.write_text(certificate.text(Lock, first.found))
    again = certificate.read(path)
    assert again == first.found
    assert certificate.text(Lock, again) == path.read_text()
    result = prove(Lock, certificate=again)
    assert result.exit_code == ExitCode.HOLDS
    assert {way for cell in result.cells for way in cell.ways} == {"core"}
    assert result.cells[0].resources <= first.cells[0].resources


@pytest.mark.parametrize("name", WRONG)
def test_a_certificate_of_something_else_proves_nothing(name: str) -> None:
    given = prove(Lock, certified=True).found
    result, plain = (prove(WRONG[name].kind, certificate=one) for one in (given, certificate.NONE))
    assert [cell.verdict for cell in result.cells] == [cell.verdict for cell in plain.cells]


def test_the_certificate_of_kip_320_is_up_to_date() -> None:
    """A changed rule or lemma needs another: `epochal prove kip-320 --unbounded --certified --out` writes it."""
    path = certificate.beside(Kip320Proof)
    assert path is not None
    known = certificate.read(path)
    plan = UnboundedPlan(Kip320Proof, ["strong_isr", "weak_isr", "leader_in_isr"], hints=known.hints)
    questions = [question for cell in plan.obligations() for question in cell.questions]
    assert sum(question.hint is not None for question in questions) >= 0.97 * len(questions)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[" * 100_000,
        "[]",
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "terms": [["sum", 1]], "questions": {}}',
        '{"format": 1, "terms": [["add", 0, 0]], "questions": {}}',
        '{"format": 1, "terms": [["var", "x", "", "real"]], "questions": {}}',
        '{"format": 1, "terms": [["const", true]], "questions": {}}',
        '{"format": 1, "terms": [], "questions": {"a": [[0], [3]]}}',
        '{"format": 1, "terms": [], "questions": {"a": [["x"], null]}}',
        '{"format": 1, "terms": [["const", 1]], "questions": {"a": [[0], [[0, 5]]]}}',
        '{"format": 1, "terms": [["var", "\\ud800", "", "int"]], "questions": {}}',
        '{"format": 1, "terms": [["var", "x", "\\u0000", "int"]], "questions": {}}',
        '{"format": 1, "terms": [["var", "x", "", "id:\\ud800"]], "questions": {}}',
        '{"format": 1, "terms": [["const", 1]], "questions": {"a": [[0], [[0, "\\ud800"]]]}}',
        f'{{"format": 1, "terms": [["const", {10**2000}]], "questions": {{}}}}',
        f'{{"format": 1, "terms": [["const", {10**1000}], ["scale", {10**1000}, 0]], "questions": {{}}}}',
        f'{{"format": 1, "terms": [["var", "x", "", "int"]{NESTED}], "questions": {{}}}}',
        '{"format": 1, "terms": [], "questions": {}, "outlines": [["enter"]]}',
        '{"format": 1, "terms": [], "questions": {}, "many": "no"}',
        '{"format": 1, "terms": [], "questions": {}, "outlines": [["enter", "x", [1], []]]}',
    ],
)
def test_a_damaged_certificate_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "lock.certificate.json"
    path.write_text(content)
    with pytest.raises(UsageError, match="is no certificate"):
        certificate.read(path)


def test_what_is_doubled_over_and_over_is_read_at_once(tmp_path: Path) -> None:
    """A term in which each sum has the one before it twice is small, however many parts it has as a tree."""
    (question, *_) = (one for cell in UnboundedPlan(Lock, ["alone"]).obligations() for one in cell.questions)
    terms = [["var", "x", "", "int"], *(["add", n, n] for n in range(150))]
    path = tmp_path / "lock.certificate.json"
    path.write_text(json.dumps({"format": 1, "terms": terms, "questions": {question.digest: [[0], [150]]}}))
    hint = certificate.read(path).hints[question.digest]
    Climber(Effort(20_000, "hint")).answer(replace(question, hint=hint))


@pytest.mark.parametrize("name", ["a/b", "../..", "/etc/passwd", "x" * 500, ":", ""])
def test_a_certificate_is_beside_its_protocol_whatever_that_is_called(name: str) -> None:
    kind: type[Any] = type("Odd", (Lock,), {"name": name, "__module__": __name__})
    path = certificate.beside(kind)
    assert path is not None and path.parent == Path(__file__).parent
    assert certificate.known(kind) == certificate.NONE


def test_an_answer_for_which_cvc5_was_killed_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor one that is interrupted: the next who asks may have another."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    a, n = variable("a", IDENTIFIER + "n"), variable("n", IDENTIFIER + "n")
    every = forall([Bound(n)], apply(Symbol("f"), (n,), BOOL))
    question = Question((every,), (), (apply(Symbol("f"), (a,), BOOL),), ())
    ask = Asking(partial(one_by_one, Climber), True, 20_000)
    with monkeypatch.context() as killed:
        ends = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
        killed.setattr(oracle, "python_running", lambda module: ends)
        (answer,) = ask([question], "oracle")
        assert not answer.proved and answer.lost
    (answer,) = ask([question], "oracle")
    assert answer.proved and not answer.lost and ask.from_cache == 0
    climber = Climber(Effort(20_000, "oracle"))
    climber.interrupt()
    with pytest.raises(Interrupted):
        climber.answer(question)


def test_a_hint_can_be_kept_whatever_a_question_speaks_of() -> None:
    """Of a sum in which a condition chooses a value a certificate cannot tell, so no hint has it."""
    x, f = variable("x", INT), Symbol("f")
    chosen = add(ite(apply(f, (x,), BOOL), x, constant(2)), constant(1))
    question = Question((le(x, constant(5)),), (), (le(chosen, constant(6)),), ())
    for climber in (Climber(Effort(20_000, part, certified=True)) for part in PARTS):
        answer = climber.answer(question)
        hints = {"a": answer.hint} if answer.hint is not None else {}
        hints |= dict(zip("bc", climber._of_oracle(question, [0]), strict=False))
        assert answer.proved and "c" in hints
        assert certificate.decoded(json.loads(json.dumps(certificate.encoded(hints)))) == hints


def test_the_oracle_tells_of_products_with_a_number() -> None:
    """It puts twice a number in the place of a variable, or a difference, where it multiplies by -1."""
    x, y, n = (variable(name, INT) for name in "xyn")
    f = Symbol("f")
    for term in (scale(2, x), add(y, scale(-1, x))):
        every = forall([anything(n)], or_(apply(f, (n,), BOOL), le(n, constant(5)), le(constant(9), n)))
        goal = (apply(f, (term,), BOOL), le(term, constant(5)), le(constant(9), term))
        found = oracle.Oracle().refutation([every], goal, [], 1_000_000)
        assert found is not None
        assert term in found[1]


def test_no_lemma_leans_on_itself() -> None:
    """Each of two lemmas follows from the other after the step: neither is proved so, and one is where the other is."""
    plan = UnboundedPlan(Circle, ["whole"])
    outlines = {
        ("fall", "one"): (ProofOutline((), ("other",)),),
        ("fall", "other"): (ProofOutline((), ("one",)),),
    }
    found = with_outlined(cells(plan), plan, asking(), ["lower"], known_outlines(Certificate(outlines=outlines)))
    assert all(cell.open for cell in found if cell.obligation.row == "fall" and cell.obligation.kind == "preservation")
    known = [
        Cell(cell.obligation, "proved") if cell.obligation.place == ("fall", "other") else cell for cell in cells(plan)
    ]
    found = with_outlined(known, plan, asking(), ["lower"], known_outlines(Certificate(outlines=outlines)))
    (one,) = (cell for cell in found if cell.obligation.place == ("fall", "one"))
    assert one.verdict == "proved"
    assert one.outlines == outlines["fall", "one"]


def test_no_lemma_leans_on_itself_by_what_others_imply() -> None:
    """Each of two lemmas follows from the other: a step preserves neither, or one where it does the other."""
    plan = UnboundedPlan(Circle, ["whole"])
    outlines = {
        (IMPLICATION, "one"): (ProofOutline(("other",), ()),),
        (IMPLICATION, "other"): (ProofOutline(("one",), ()),),
        (IMPLICATION, "whole"): (ProofOutline(("one",), ()),),
    }
    sound = [
        replace(cell, verdict="proved", left=()) if cell.obligation.column == EVALUATION else cell
        for cell in cells(plan)
    ]
    found = with_outlined(sound, plan, asking(), ["lower"], known_outlines(Certificate(outlines=outlines)))
    assert all(cell.open for cell in found if cell.obligation.row == "fall" and cell.obligation.kind == "preservation")
    (whole,) = (cell for cell in found if cell.obligation.place == (IMPLICATION, "whole"))
    assert whole.verdict == "proved" and whole.outlines == outlines[IMPLICATION, "whole"]
    known = [
        replace(cell, verdict="proved", left=()) if cell.obligation.place == ("fall", "other") else cell
        for cell in sound
    ]
    found = with_outlined(known, plan, asking(), ["lower"], known_outlines(Certificate(outlines=outlines)))
    (one,) = (cell for cell in found if cell.obligation.place == ("fall", "one"))
    assert one.verdict == "proved" and one.ways == ("implied",) and one.implied == outlines[IMPLICATION, "one"][0]


@pytest.mark.parametrize("many", [False, True])
def test_a_certificate_says_how_its_questions_were_made(tmp_path: Path, many: bool) -> None:
    """Hints are of these questions: the others have different digests, and would be asked from the beginning."""
    first = prove(Lock, certificate=Certificate(many=many), certified=True)
    path = tmp_path / certificate.file_name(Lock)
    path.write_text(certificate.text(Lock, first.found))
    result = prove(Lock, certificate=certificate.read(path))
    assert result.many == many and result.exit_code == ExitCode.HOLDS
    assert {way for cell in result.cells for way in cell.ways} == {"core"}


def test_an_outline_of_lemmas_that_there_are_not_is_passed_over() -> None:
    """A lemma may have been renamed since the certificate was written."""
    plan = UnboundedPlan(Circle, ["whole"])
    outlines = {("fall", "one"): (ProofOutline(("renamed",), ()), ProofOutline((), ("renamed",)))}
    found = with_outlined(cells(plan), plan, asking(), ["lower"], known_outlines(Certificate(outlines=outlines)))
    assert all(not cell.outlines for cell in found)


def test_an_outline_has_what_suffices_within_bounds() -> None:
    premises = Premises([Lock(LockBounds())], ("alone",), lambda: None)
    assert list(premises.of("leave", "who_is_inside_is_served", ())) == [
        ProofOutline(("who_is_inside_is_served",), ()),
        ProofOutline(("who_is_inside_is_served",), ()),
    ]
    assert not list(Premises([Circle(LockBounds())], ("whole",), lambda: None).of("fall", "one", ()))
    within = Premises([Circle(LockBounds())], ("whole",), lambda: None)
    assert next(iter(within.of("fall", "one", ["other"]))) == ProofOutline((), ("other",))


def test_the_command_writes_a_certificate(tmp_path: Path) -> None:
    result = epochal.prove(Lock(LockBounds()), unbounded=True, workers=1, cached=False, certified=True)
    assert result.hints is not None
    name, text = result.hints
    assert name.endswith(".certificate.json")
    assert json.loads(text)["questions"]
    assert epochal.prove(Lock(LockBounds()), unbounded=True, workers=1, cached=False).hints is None
    with pytest.raises(UsageError, match="certified is of proofs for every choice of the bounds"):
        epochal.prove(Lock(LockBounds()), certified=True)  # type: ignore[call-overload]  # tried out


def test_a_folder_that_is_called_like_the_oracle_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Python takes it for a package, and it has no version."""
    (tmp_path / "cvc5").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert importlib.util.find_spec("cvc5") is not None
    assert not oracle.installed()


def test_a_proof_without_the_oracle_asks_z3_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.checker.unbounded.proof.installed", lambda: False)
    kind: type[Protocol] = WRONG["Weak"].kind
    result = unbounded_proof(kind(kind.bounds_type()()), ["alone"], cached=False)
    assert not {"core"} & {way for cell in result.cells for way in cell.ways}
