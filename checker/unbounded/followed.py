"""An open cell of a proof for all bounds, followed by the prover within bounds: it may have a counterexample there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from epochal.spec.language import ActionInstance, Protocol
from epochal.spec.language.domains import IdentifierDomain

from ..solver.cti_reachability import with_reach
from ..solver.dispatch import QueryRunner, in_this_process
from ..solver.induction import RLIMIT, Induction, ObligationResult, Stopwatch, prepared, result_of
from ..solver.obligations import INITIALLY, Claim
from ..trace.trace import Trace
from .obligations import Obligation, Place

FEW, MANY = (2, 3), (4,)
"""How many identifiers there are in turn, as far as the protocol's bounds allow: before the solver tries hard, when the
least number follows, and after."""

FIRST_STATES = 20_000
"""How many states are searched for the first state of a counterexample."""


@dataclass(frozen=True)
class Counterexample:
    """A step from a state that satisfies every lemma to one that breaks one: of which instance, and at which bounds."""

    instance: ActionInstance | None
    trace: Trace
    bounds: dict[str, int]


def followed(
    protocol: Protocol,
    cells: Sequence[Obligation],
    properties: Sequence[str],
    counting: Sequence[str],
    sizes: Sequence[int],
    cached: bool,
    tell: Callable[[], None],
) -> tuple[dict[Place, Counterexample], list[dict[str, int]]]:
    """Counterexamples of open cells, and at which bounds they were looked for.

    `counting` are the bounds that say how many identifiers there are. After a few, the least number that they allow is
    asked about, too: what is so of two may be wrong of one alone, or where there is none.
    """
    left = {cell.place for cell in cells}
    found: dict[Place, Counterexample] = {}
    looked: list[dict[str, int]] = []
    for one in (*sizes_of(protocol, counting, sizes), *(_least(protocol, counting) if sizes == FEW else ())):
        if not left:
            break
        looked.append(one.bounds.as_dict())
        for cell, example in _within(one, left, properties, cached, tell).items():
            found[cell] = example
            left.discard(cell)
    return found, looked


def sizes_of(protocol: Protocol, counting: Sequence[str], sizes: Sequence[int]) -> Iterator[Protocol]:
    """The protocol with so many of what is numbered by identifiers; as it is if no bound says how many."""
    kind = type(protocol)
    if not counting and sizes == FEW:
        yield protocol
    for size in sizes if counting else ():
        allowed = {name: kind.bounds_type().declared()[name] for name in counting}
        if all(field.least <= size <= field.most for field in allowed.values()):
            yield kind(protocol.bounds.with_values(dict.fromkeys(counting, size)))


def _least(protocol: Protocol, counting: Sequence[str]) -> Iterator[Protocol]:
    """The protocol with as few identifiers as each bound allows, unless that is one of the few numbers for all."""
    kind = type(protocol)
    least = {name: kind.bounds_type().declared()[name].least for name in counting}
    if least and least not in [dict.fromkeys(counting, size) for size in FEW]:
        yield kind(protocol.bounds.with_values(least))


def declared_counting(protocol: Protocol) -> tuple[str, ...]:
    """The bounds that say how many identifiers there are in variables and actions: with one more, there are more.

    Of those that only rules name a reading of the rules knows, which takes longer.
    """
    kind, found = type(protocol), []
    before = _identifiers(protocol)
    for name, value in protocol.bounds.items():
        field = kind.bounds_type().declared()[name]
        other = value + 1 if value < field.most else value - 1
        if other >= field.least and _identifiers(kind(protocol.bounds.with_values({name: other}))) != before:
            found.append(name)
    return tuple(found)


def _identifiers(protocol: Protocol) -> dict[str, int]:
    return {
        leaf.domain.prefix: leaf.domain.size for leaf in protocol.leaves if isinstance(leaf.domain, IdentifierDomain)
    } | {
        parameter.domain.prefix: parameter.domain.size
        for action in protocol.members("action")
        for parameter in protocol.parameters(action.function)
        if isinstance(parameter.domain, IdentifierDomain)
    }


def _within(
    protocol: Protocol, left: set[Place], properties: Sequence[str], cached: bool, tell: Callable[[], None]
) -> dict[Place, Counterexample]:
    """Counterexamples of these cells within bounds."""
    watch = Stopwatch()
    induction = Induction(prepared(protocol, tuple(properties)), RLIMIT, QueryRunner(in_this_process, cached))
    claims = {claim.member.name: claim for claim in induction.claims}
    wanted: dict[int, list[Claim]] = {}
    for compiled in induction.model.instances:
        row = compiled.instance.action.name
        columns = [column for at, column in left if at == row]
        if columns:
            affected = {claim.member.name for claim in induction.plan.affected(compiled)}
            wanted[compiled.instance.number] = [
                claims[column] for column in columns if column in claims and column in affected
            ]
    answers = list(induction.steps(wanted))
    tell()
    if any(row == INITIALLY for row, _ in left):
        answers += induction.initiations()
    if any(column in properties for _, column in left):
        answers += induction.implications()
    induction.cross_check = "off"
    result = with_reach(result_of(induction, answers, watch), FIRST_STATES)
    found: dict[Place, Counterexample] = {}
    for answer in result.answers:
        cell = (_row(answer), answer.obligation.column)
        if cell in left and cell not in found and answer.trace is not None:
            found[cell] = Counterexample(answer.obligation.instance, answer.trace, protocol.bounds.as_dict())
    return found


def _row(answer: ObligationResult) -> str:
    if answer.obligation.instance is not None:
        return answer.obligation.instance.action.name
    return INITIALLY if answer.obligation.kind == "initiation" else "implication"
