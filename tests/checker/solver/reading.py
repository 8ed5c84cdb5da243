"""The Z3 reading of expressions on one state, and random runs to take states from."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import z3

from epochal.checker.ir.expression import Expression
from epochal.checker.semantics.semantics import Codes, PythonSemantics
from epochal.checker.smt.terms import Terms
from epochal.spec.language import Protocol


def values(terms: Terms, nodes: Sequence[Expression], codes: Codes) -> list[int]:
    """The values of expressions on the state with these codes, as `checker.ir.expression` gives them."""
    known = []
    for leaf, code in zip(terms.leaves, codes, strict=True):
        constant = z3.BoolVal(bool(code), terms.context) if z3.is_bool(leaf) else terms.number(code, leaf.size())
        known.append((leaf, constant))
    return [plain(node, z3.simplify(z3.substitute(terms(node), *known))) for node in nodes]


def plain(node: Expression, value: z3.ExprRef) -> int:
    """A Z3 constant as the number that it stands for."""
    if node.sort == "bool":
        assert z3.is_true(value) or z3.is_false(value), value
        return int(z3.is_true(value))
    assert z3.is_bv_value(value), value
    return int(value.as_signed_long() if node.sort == "int" else value.as_long())


def random_run(protocol: Protocol, seed: int, length: int) -> Iterator[Codes]:
    """The states of a random run, which starts again at a dead end and outside the state constraint."""
    dice, reading = random.Random(seed), PythonSemantics(protocol)
    codes = protocol.initial_states()[0]
    for _ in range(length):
        yield codes
        steps = list(protocol.successors(codes)) if reading.within_constraint(codes) else []
        codes = dice.choice(steps)[1] if steps else protocol.initial_states()[0]
