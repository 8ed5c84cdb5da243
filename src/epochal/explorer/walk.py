"""An address taken at its word: the run that it names, step by step in the Python reading, as far as it is possible."""

from __future__ import annotations

from dataclasses import dataclass, replace

from epochal.checker.trace.report.document import Report
from epochal.checker.trace.report.elsewhere import Elsewhere, elsewhere
from epochal.checker.trace.report.guards import Guard, tried
from epochal.checker.trace.text import because
from epochal.checker.trace.trace import Codes, Step, Trace
from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.language import Member, Protocol, SpecificationError
from epochal.spec.language.protocol import evaluated

from .address import Address
from .shelf import Opened


@dataclass(frozen=True)
class Refused:
    """The first step of a run that is not possible: its number, its label, and why."""

    number: int
    label: str
    why: str
    guards: tuple[Guard, ...] = ()


@dataclass(frozen=True)
class Broken:
    """A property that is false in a state, or of the step that leads there, and the values that make it so."""

    member: Member
    because: str


@dataclass(frozen=True)
class Walk:
    """A run that an address names. `address` is it as far as it is possible; `refused` says what is not."""

    opened: Opened
    address: Address
    trace: Trace
    refused: Refused | None = None

    @property
    def protocol(self) -> Protocol:
        """The protocol within its bounds."""
        return self.opened.protocol

    @property
    def here(self) -> Codes:
        """The state that is looked at."""
        return self.trace.states[self.address.at]

    @property
    def again(self) -> dict[int, int]:
        """The states that were there before, each by its number, with the number of the first of them."""
        first: dict[Codes, int] = {}
        found = {number: first.setdefault(codes, number) for number, codes in enumerate(self.trace.states)}
        return {number: before for number, before in found.items() if before != number}

    def report(self) -> Report:
        """The run as a page shows it, without what else was possible in each state."""
        return Report(self.trace, branches=False)

    def choices(self) -> Elsewhere:
        """What can be done in the state that is looked at, and what cannot and why."""
        return elsewhere(self.protocol, self.here)

    def false_here(self) -> list[Broken]:
        """The properties that are false in the state that is looked at, or of the step that leads there."""
        at = self.address.at
        until = replace(self.trace, steps=self.trace.steps[:at], verdict="violated")
        states = [self.protocol.at(codes) for codes in until.states[-2:]]
        found = []
        for kind, arguments in (("invariant", states[-1:]), ("lemma", states[-1:]), ("action_property", states)):
            for member in self.protocol.members(kind):  # type: ignore[arg-type]  # the kinds above
                if kind == "action_property" and not at:
                    continue
                if is_false(member, *arguments):
                    found.append(Broken(member, because(replace(until, property_id=member.name))))
        return found

    @property
    def outside(self) -> bool:
        """Whether the state that is looked at is outside of the constraint, so that a search would stop there."""
        members = self.protocol.members("constraint")
        return any(is_false(member, self.protocol.at(self.here)) for member in members)


def is_false(member: Member, *states: Protocol) -> bool:
    """Whether a property is false; one that cannot be evaluated is not."""
    try:
        return not evaluated(member.function, *states)
    except SpecificationError:
        return False


def walk(opened: Opened, address: Address) -> Walk:
    """Take the steps of an address. Raises UsageError for a first state that does not exist."""
    first, start = _first(opened, address)
    steps: list[Step] = []
    codes, refused = first, None
    for number, label in enumerate(address.steps, start=1):
        instance = opened.by_label.get(label)
        if instance is None:
            refused = Refused(number, label[:LONGEST], "the protocol has no such step within these bounds")
            break
        found = tried(opened.protocol, codes, instance)
        if found.after is None:
            refused = Refused(number, label, found.error, found.guards)
            break
        codes = found.after
        steps.append(Step(instance, codes))
    facts: dict[str, str | int | bool] = {"protocol": opened.reference}
    trace = Trace(opened.protocol, first, tuple(steps), facts=facts, start=start)
    if refused is not None:
        kept = tuple(one for one in address.branches if one.after < refused.number)
        address = replace(address, steps=address.steps[: len(steps)], branches=kept)
    return Walk(opened, address.looking_at(address.at), trace, refused)


def _first(opened: Opened, address: Address) -> tuple[Codes, str]:
    """The first state of a run, and what it is called if no run need lead to it."""
    if not address.codes:
        initial = opened.initial_states
        if not 0 <= address.first < len(initial):
            raise UsageError(f"there is no initial state {address.first}", f"There are {len(initial)}, from 0.")
        return initial[address.first], ""
    leaves = opened.protocol.leaves
    fits = len(leaves) == len(address.codes)
    if not fits or any(code >= leaf.domain.cardinality for leaf, code in zip(leaves, address.codes, strict=True)):
        raise UsageError("the address has a first state that is none of this protocol", "Begin with an initial state.")
    return address.codes, "A state that was given, and need not be reachable"


def address_of(trace: Trace, opened: Opened) -> Address:
    """The address of a trace: all its steps, its last state looked at; of one that comes back, with that step."""
    initial = list(opened.initial_states)
    begins = trace.initial in initial and not trace.start
    taken = [*(step.instance for step in trace.steps), *([] if trace.closing is None else [trace.closing])]
    steps = tuple(opened.labels[instance.number] for instance in taken)
    return Address(
        opened.reference,
        opened.own_bounds,
        first=initial.index(trace.initial) if begins else 0,
        codes=() if begins else trace.initial,
        steps=steps,
        at=len(steps),
        about=trace.property_id,
    )
