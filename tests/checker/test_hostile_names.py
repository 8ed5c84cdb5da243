"""What a specification calls its parts decides nothing: any names give the answers that plain ones give.

One protocol is written again and again with other names: words of Python, of SMT-LIB, of LLVM, and above all those that
the readings and provers use for things of their own. Every engine must find in it what it finds under plain names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.parametric.terms import BOOL, INT, Bound, Symbol, apply, eq, exists, not_, variable
from epochal.checker.unbounded.z3_terms import Z3Terms
from epochal.exit_codes import ExitCode
from epochal.language import LanguageError

TEXT = """
from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds, Capacity, Ghost, Identifier, Identifiers, Integers, Log, Map, Protocol, Set, Struct, action, bound,
    invariant, lemma, require
)


@dataclass(frozen=True)
class Limits(Bounds):
    {many}: int = bound(2, least=1, most=4, help="voters")


Voter = Annotated[Identifier, Identifiers({prefix!r}, Limits.{many})]
Small = Annotated[int, Integers(0, 1)]


class Entry(Struct):
    {by}: Voter
    {what}: Small | None


class Election(Protocol):
    bounds: Limits
    {leader}: Voter | None
    {votes}: Set[Voter]
    {voted}: Map[Voter, bool]
    {log}: Annotated[Log[Entry], Capacity(2)]
    {term}: Small
    {past}: Ghost[Set[Voter]]

    def {helper}(self) -> bool:
        return 2 * len(self.{votes}) > self.bounds.{many}

    @action
    def {vote}(self, {who}: Voter) -> None:
        require({who} not in self.{votes})
        self.{votes} |= {{{who}}}
        self.{voted}[{who}] = True

    @action
    def {win}(self, {who}: Voter, {how}: Small) -> None:
        require(self.{leader} is None and self.{helper}() and {who} in self.{votes} and len(self.{log}) < 2)
        self.{leader} = {who}
        self.{log}.append(Entry({by}={who}, {what}={how}))
        self.{past} |= {{{who}}}

    @action
    def {again}(self, {others}: Set[Voter]) -> None:
        require(self.{leader} is not None and self.{term} == 0 and len({others}) == 1)
        for {each} in {others}:
            self.{voted}[{each}] = True
        self.{votes} = self.{votes} | {others}
        self.{term} = 1

    @lemma
    def {counted}(self) -> bool:
        return all(self.{voted}[{each}] == ({each} in self.{votes}) for {each} in self.each(Voter))

    @lemma
    def {elected}(self) -> bool:
        return self.{leader} is None or (self.{helper}() and self.{leader} in self.{votes})

    @invariant
    def {right}(self) -> bool:
        return self.{leader} is None or any({each} == self.{leader} and self.{voted}[{each}] for {each} in self.{votes})

    @invariant
    def {wrong}(self) -> bool:
        return all(self.{log}[{each}].{what} != 1 for {each} in range(len(self.{log})))
"""

SLOTS = (
    *("leader", "votes", "voted", "log", "term", "past", "many", "by", "what"),  # variables, a bound, fields
    *("helper", "vote", "win", "again", "counted", "elected", "right", "wrong"),  # methods
    *("who", "how", "others", "each"),  # parameters and what is bound
)
PLAIN = dict(zip(SLOTS, SLOTS, strict=True)) | {"prefix": "v", "each": "one_of_them"}
WORDS = {
    "prover": "place bound first one another count extreme tag variable before after take goal m i spot path own "
    "others_ constant rule",
    "smt": "let forall exists distinct ite select store Int Bool true false xor par push pop model BitVec mod select_ "
    "declare_fun as_ check_sat",
    "llvm": "entry ret i32 ptr undef null define declare main memcpy phi br label poison switch alloca load_ call_ "
    "target source i8",
    "readings": "state new next id this cls holds before codes_ view leaf domain graph keys end last values index "
    "item then otherwise",
    "one letter": "a b c d e f g h x y z s t u v w p q r n k",
}
BUILT_IN = (
    *("len", "all", "any", "min", "max", "range", "sum", "set", "bool", "int", "next", "print", "list", "sorted"),
    *("require", "super", "Set"),
)
PREFIXES = ("first ", "place ", "x after win", "a]", "id:", "?", "1 who", "count of ", "member", "#many", "0")


def namings() -> Iterator[tuple[str, dict[str, str]]]:
    """Names for the slots: each list of words, begun at several places."""
    for number, (what, words) in enumerate(WORDS.items()):
        listed = words.split()
        assert len(set(listed)) == len(listed) >= len(SLOTS), what
        for turn in (0, 7, 14):
            turned = listed[turn:] + listed[:turn]
            prefix = PREFIXES[(3 * number + turn) % len(PREFIXES)]
            yield f"{what} {turn}", {**dict(zip(SLOTS, turned, strict=False)), "prefix": prefix}
    # what a rule calls by a plain name must stay what it is: built-in names are for what stands behind a dot
    yield "built-in", {**PLAIN, **dict(zip(SLOTS[:17], BUILT_IN, strict=True))}


NAMINGS = dict(namings())


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))


def found(folder: Path, names: dict[str, str]) -> dict[str, Any]:
    """What every engine finds: figures and verdicts, no names."""
    file = folder / "named.py"
    file.write_text(TEXT.format(**names), encoding="utf-8")
    protocol = epochal.load(f"{file}:Election")
    told: dict[str, Any] = {}
    for engine in ("native", "python"):
        result = epochal.check(protocol, engine=engine, all_violations=True, liveness=False)
        told[engine] = (result.exit_code, result.states, result.steps, result.depth)
    symmetric = epochal.check(protocol, symmetry=True, all_violations=True)
    told["symmetry"] = (symmetric.exit_code, symmetric.states)
    bounded = epochal.bounded(protocol, length=3, all_violations=True)
    told["bounded"] = (bounded.exit_code, [(one.verdict, one.steps) for one in bounded.bounded.properties])
    right, wrong = names["right"], names["wrong"]
    for one in (right, wrong):
        within = epochal.prove(protocol, properties=[one], workers=1)
        told[f"proof {one == right}"] = (within.exit_code, [answer.verdict for answer in within.proof.answers])
        everywhere = epochal.prove(protocol, properties=[one], unbounded=True, workers=1)
        cells = [cell.verdict for cell in everywhere.proof.cells]
        told[f"unbounded {one == right}"] = (everywhere.exit_code, cells, everywhere.proof.compared)
    return told


@pytest.fixture(scope="module")
def plainly(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is found under plain names."""
    told = found(tmp_path_factory.mktemp("plain"), PLAIN)
    assert told["native"] == told["python"]
    assert told["native"][0] == told["bounded"][0] == ExitCode.VIOLATED
    assert told["proof True"][0] == told["unbounded True"][0] == ExitCode.HOLDS
    assert told["proof False"][0] == told["unbounded False"][0] == ExitCode.NOT_PROVED
    return told


OTHERS = [pytest.param(what, marks=pytest.mark.long) for what in NAMINGS if what.endswith((" 7", " 14"))]


@pytest.mark.parametrize("what", [*(what for what in NAMINGS if not what.endswith((" 7", " 14"))), *OTHERS])
def test_names_decide_nothing(what: str, tmp_path: Path, plainly: dict[str, Any]) -> None:
    assert found(tmp_path, NAMINGS[what]) == plainly


@pytest.mark.parametrize("unbounded", [False, True])
@pytest.mark.parametrize(
    ("slot", "name"),
    [
        ("vote", "initially"),
        ("win", "implication"),
        ("again", "lemmas"),
        ("counted", "types"),
        ("elected", "evaluation"),
    ],
)
def test_what_would_be_two_rows_or_columns_is_refused(slot: str, name: str, unbounded: bool, tmp_path: Path) -> None:
    file = tmp_path / "named.py"
    file.write_text(TEXT.format(**{**PLAIN, slot: name}), encoding="utf-8")
    with pytest.raises(LanguageError, match=f"a proof has a row or column called {name} already"):
        epochal.prove(epochal.load(f"{file}:Election"), unbounded=unbounded)  # type: ignore[call-overload]  # both


def test_no_variable_of_the_prover_is_a_leaf_of_the_state() -> None:
    """A leaf and a bound variable of one name and sort are two things, also for the solver."""
    import z3

    for sort in (INT, "id:p"):
        leaf, bound = apply(Symbol("member"), (), sort), variable("member", sort)
        for style in ("plain", "tagged", "layered"):
            context = z3.Context()
            terms = Z3Terms(context, style)
            low, high = (apply(Symbol(limit), (), INT) for limit in ("low", "high"))
            another = exists([Bound(bound, low, high) if sort == INT else Bound(bound)], not_(eq(bound, leaf)))
            solver = z3.Solver(ctx=context)
            solver.add(terms(another))
            assert solver.check() != z3.unsat, style  # were it captured, it would say: something is not itself


def test_two_functions_of_one_name_are_an_error() -> None:
    import z3

    terms = Z3Terms(z3.Context(), "plain")
    terms(apply(Symbol("x", "records"), (), INT))
    with pytest.raises(AssertionError, match="two things are called x"):
        terms(apply(Symbol("x", "epochs"), (), INT))
    with pytest.raises(AssertionError, match="two things are called"):
        terms(apply(Symbol("?x"), (), BOOL))
