"""cvc5 as an oracle: which of a question's hypotheses refute it, and at which terms. Its word is not believed.

Where Z3 gives up it lacks few things: which of hundreds of hypotheses matter, and with which terms to instantiate their
quantifiers. cvc5 often finds a refutation in seconds. Its proof says which hypotheses it used and which ground terms it
put in the place of variables: a hint. Z3 refutes these hypotheses at these terms by itself, or the question stays open.

cvc5 runs in a process of its own: it cannot be interrupted otherwise, and if it fails, a hint is missing and no more.
Its effort is limited in its own resource units, so that a hint does not depend on the machine.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from epochal.errors import EngineError

from ..base.processes import deaf_to_interrupts, python_running
from ..parametric.terms import BOOL, INT, Symbol, Term, add, apply, bound_of, constant, not_, scale, subterms

DEEP = 100_000
"""How deep Python may recurse: terms are nested more deeply than it allows by itself."""


AFTER = " after "
"""Of a leaf after a step, what stands between its path and the name of the action."""

WITHOUT = "Proofs do without it: pip uninstall cvc5. Please report this."

SEEN = "seen "
"""What a predicate is called that is asserted of terms, so that cvc5 knows of them; it means nothing."""


@dataclass(frozen=True)
class Hint:
    """What suffices to answer a question: hypotheses, by their places in (*own, *others), and terms to try them at.

    Each term is tried as one of a kind (`ladder.Tried`), or as what it is (None), and all of them can be told. If
    `terms` is None, Z3 finds them by itself. With `witnesses`, what exists is called by names that terms may use
    (`witnesses`).
    """

    core: tuple[int, ...]
    terms: tuple[tuple[Term, str | None], ...] | None
    witnesses: bool = False


DEEPEST = 200
"""How deeply functions and sums may be nested in a term of a hint: whoever reads one goes as deep."""


def can_be_told(term: Term) -> bool:
    """Whether a hint may have a term: it is made of functions, sums, numbers and names, and not nested too deeply.

    A term in which a condition chooses a value has a place in one question alone, where Z3 finds it.
    """
    inside = {term}
    for _ in range(DEEPEST):
        if not inside:
            return True
        if any(one.op not in ("const", "var", "app", "add", "scale") for one in inside):
            return False
        inside = {arg for one in inside for arg in one.args}
    return False


class OracleLost(Exception):
    """The process of cvc5 was ended before it had an answer, for want of memory, say: another time it may have one."""


def installed() -> bool:
    """Whether there is a cvc5 to ask. It is optional, the extra `proofs`; a folder that is called so is none."""
    try:
        return bool(oracle_version())
    except PackageNotFoundError:
        return False


def oracle_version() -> str:
    """The version of cvc5."""
    return version("cvc5")


class Oracle:
    """Asks cvc5, in a process for each question. Another thread may interrupt it: then it gives no hint any more."""

    def __init__(self) -> None:
        self._running: subprocess.Popen[bytes] | None = None
        self._interrupted = False

    def refutation(
        self, hypotheses: Sequence[Term], goal: Sequence[Term], seen: Sequence[Term], units: int
    ) -> tuple[tuple[int, ...], tuple[Term, ...]] | None:
        """Why one of `goal` follows: the places of hypotheses that matter, and the terms to instantiate them with.

        `seen` are terms that cvc5 should know of. None if it has no answer within `units` of its effort, or was
        interrupted. Raises OracleLost.
        """
        asked = pickle.dumps((tuple(hypotheses), tuple(goal), tuple(seen), units))
        with deaf_to_interrupts():
            self._running = subprocess.Popen(
                python_running(__name__), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        if self._interrupted:
            self._running.kill()
        try:
            answer, said = self._running.communicate(asked)
        except BaseException:  # nobody waits for it any more
            self._running.kill()
            self._running.wait()
            raise
        if self._interrupted:
            return None
        if self._running.returncode < 0:
            raise OracleLost
        if self._running.returncode:
            raise EngineError(f"cvc5 {oracle_version()} failed: {said.decode(errors='replace').strip()}", WITHOUT)
        found: tuple[tuple[int, ...], tuple[Term, ...]] | None = pickle.loads(answer)
        return found

    def interrupt(self) -> None:
        """End the process that is at work."""
        self._interrupted = True
        if self._running is not None:
            self._running.kill()


# -- in the process ---------------------------------------------------------------------------------------------------


def _serve() -> None:
    sys.setrecursionlimit(DEEP)
    hypotheses, goal, seen, units = pickle.load(sys.stdin.buffer)
    pickle.dump(_refutation(hypotheses, goal, seen, units), sys.stdout.buffer)


def _refutation(
    hypotheses: Sequence[Term], goal: Sequence[Term], seen: Sequence[Term], units: int
) -> tuple[tuple[int, ...], tuple[Term, ...]] | None:
    """The places of the hypotheses that cvc5 used, and the terms of its instances that are the question's own."""
    import cvc5  # type: ignore[import-untyped]  # it has no stubs

    terms = _Cvc5Terms(units)
    marked = [apply(Symbol(f"{SEEN}{one.sort}"), (one,), BOOL) for one in seen]
    asserted = [terms(one) for one in (*hypotheses, *map(not_, goal), *marked)]
    for one in asserted:
        terms.solver.assertFormula(one)
    if not terms.solver.checkSat().isUnsat():
        return None
    used = set(terms.solver.getUnsatCore())
    found: dict[Term, None] = {}
    for step in _steps(terms.solver.getProof()):
        if step.getRule() == cvc5.ProofRule.INSTANTIATE:
            put, *_ = step.getArguments()
            ours = map(terms.ours, put)
            found |= dict.fromkeys(term for term in ours if term is not None and can_be_told(term))
    core = tuple(n for n, one in enumerate(asserted[: len(hypotheses)]) if one in used)
    return core, tuple(sorted(found, key=lambda term: term.digest))


def _steps(proof: Sequence[Any]) -> Iterator[Any]:
    """All steps of a proof, each once."""
    seen: set[Any] = set()
    todo = list(proof)
    while todo:
        step = todo.pop()
        if step not in seen:
            seen.add(step)
            yield step
            todo += step.getChildren()


def _before(head: Term, body: Term) -> list[Term]:
    """What a function of the state after a step was at the same arguments before it, if its definition says so.

    Where one of the two comes up, so does the other: a minimum before a step is reached by something that counts in one
    after it, too.
    """
    name = head.value.name.partition(AFTER)[0]
    same = (one for one in subterms([body]) if one.op == "app" and one.value.name == name and one.args == head.args)
    return list(same) if AFTER in head.value.name else []


class _Cvc5Terms:
    """Makes cvc5's terms of terms, each once, and terms of cvc5's ground terms."""

    def __init__(self, units: int) -> None:
        import cvc5

        self._kinds, self._make = cvc5.Kind, cvc5.TermManager()
        self.solver: Any = cvc5.Solver(self._make)
        self.solver.setLogic("ALL")
        for option, value in (("produce-unsat-cores", "true"), ("produce-proofs", "true"), ("rlimit-per", str(units))):
            self.solver.setOption(option, value)
        self._sorts = {BOOL: self._make.getBooleanSort(), INT: self._make.getIntegerSort()}
        self._known: dict[tuple[Term, frozenset[Term]], Any] = {}
        self._functions: dict[tuple[Symbol, tuple[str, ...]], Any] = {}
        self._variables: dict[tuple[Term, bool], Any] = {}
        self._symbols: dict[Any, tuple[Symbol, str]] = {}
        self._constants: dict[Any, Term] = {}

    def __call__(self, term: Term, bound: frozenset[Term] = frozenset()) -> Any:
        """The term for cvc5, in which some variables are bound, and the others are constants."""
        at = term, bound & term.free
        if at not in self._known:
            self._known[at] = self._made(term, bound)
        return self._known[at]

    def ours(self, term: Any) -> Term | None:
        """The term that one of cvc5's stands for; None if it has something in it that cvc5 has introduced."""
        kinds, kind = self._kinds, term.getKind()
        if kind == kinds.CONST_INTEGER:
            return constant(term.getIntegerValue())
        if kind == kinds.CONSTANT:
            symbol = self._symbols.get(term)
            return self._constants.get(term) if symbol is None else apply(symbol[0], (), symbol[1])
        if kind == kinds.APPLY_UF:
            head, *rest = term
            args = [self.ours(one) for one in rest]
            symbol = self._symbols.get(head)
            return None if symbol is None or None in args else apply(symbol[0], args, symbol[1])  # type: ignore[arg-type]  # no None
        if kind == kinds.ADD:
            first, *others = map(self.ours, term)
            for one in others:
                first = None if first is None or one is None else add(first, one)
            return first
        if kind == kinds.MULT and term.getNumChildren() == 2 and term[0].getKind() == kinds.CONST_INTEGER:
            scaled = self.ours(term[1])
            return None if scaled is None else scale(term[0].getIntegerValue(), scaled)
        return None

    def _sort(self, name: str) -> Any:
        if name not in self._sorts:
            self._sorts[name] = self._make.mkUninterpretedSort(name)
        return self._sorts[name]

    def _variable(self, term: Term, bound: bool) -> Any:
        at = term, bound
        if at not in self._variables:
            make = self._make.mkVar if bound else self._make.mkConst
            found = self._variables[at] = make(self._sort(term.sort), term.value.name)
            if not bound:
                self._constants[found] = term
        return self._variables[at]

    def _applied(self, term: Term, args: Sequence[Any]) -> Any:
        at = term.value, (*(arg.sort for arg in term.args), term.sort)
        if at not in self._functions:
            value = self._sort(term.sort)
            sort = self._make.mkFunctionSort([self._sort(arg.sort) for arg in term.args], value) if args else value
            found = self._functions[at] = self._make.mkConst(sort, term.value.name)
            self._symbols[found] = term.value, term.sort
        head = self._functions[at]
        return self._make.mkTerm(self._kinds.APPLY_UF, head, *args) if args else head

    def _made(self, term: Term, bound: frozenset[Term]) -> Any:
        make, kinds = self._make, self._kinds
        if term.op in ("forall", "exists"):
            return self._quantified(term, bound)
        if term.op == "const":
            return make.mkBoolean(term.value) if term.sort == BOOL else make.mkInteger(term.value)
        if term.op == "var":
            return self._variable(term, term in bound)
        args = [self(arg, bound) for arg in term.args]
        if term.op == "app":
            return self._applied(term, args)
        if term.op == "scale":
            return make.mkTerm(kinds.MULT, make.mkInteger(term.value), *args)
        plain = {
            "not": kinds.NOT,
            "and": kinds.AND,
            "or": kinds.OR,
            "ite": kinds.ITE,
            "eq": kinds.EQUAL,
            "le": kinds.LEQ,
            "add": kinds.ADD,
        }
        return make.mkTerm(plain[term.op], *args)

    def _quantified(self, term: Term, bound: frozenset[Term]) -> Any:
        make, kinds = self._make, self._kinds
        bounds, body = [bound_of(term)], term.args[3]
        while body.op == term.op:
            bounds.append(bound_of(body))
            body = body.args[3]
        within = bound | {one.variable for one in bounds}
        patterns = []
        if body.op == "pair":
            head, body = body.args
            ways = [make.mkTerm(kinds.INST_PATTERN, self(one, within)) for one in (head, *_before(head, body))]
            patterns = [make.mkTerm(kinds.INST_PATTERN_LIST, *ways)]
        inside = [self(one.inside, within) for one in bounds]
        given, fact = inside[0] if len(inside) == 1 else make.mkTerm(kinds.AND, *inside), self(body, within)
        variables = make.mkTerm(kinds.VARIABLE_LIST, *(self(one.variable, within) for one in bounds))
        if term.op == "forall":
            return make.mkTerm(kinds.FORALL, variables, make.mkTerm(kinds.IMPLIES, given, fact), *patterns)
        return make.mkTerm(kinds.EXISTS, variables, make.mkTerm(kinds.AND, given, fact), *patterns)


if __name__ == "__main__":
    _serve()
