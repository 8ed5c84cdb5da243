"""An address taken at its word: the run that it names, step by step in the Python semantics, as far as it is
possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode

from epochal.checker.trace.report.document import Elsewhere, Guard, Report, elsewhere, tried
from epochal.checker.trace.run import Codes, Step
from epochal.checker.trace.text import because
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.language import ActionInstance, Member, Protocol, SpecificationError
from epochal.spec.language.configurable import split_reference, with_configuration
from epochal.spec.language.errors import advice
from epochal.spec.language.protocol import evaluated
from epochal.spec.loading import instantiate
from epochal.spec.registry import REGISTRY, is_registered, registered

# -- address ----------------------------------------------------------------------------------------------------------
# Where somebody is in a protocol, as the query of an address: it can be kept, sent to a colleague, and opened again.
#
# `?p=kip-279&bound=replicas:3&s=ElectLeader(b1, b2)&s=Fetch(b2, b1)&at=1`: the protocol within its bounds, the run
# that was taken, and the state that is looked at. Steps are named as people read them, not by numbers, so that an
# address still means the same, or fails with a name, when the specification has changed.

MOST_STEPS: Final = 500
"""So many steps a run may have, with those of its branches."""

LONGEST_ASKED: Final = 500
"""So many characters an expression may have."""

MOST_ASKED: Final = 12
"""So many expressions are evaluated along a run."""


@dataclass(frozen=True)
class Branch:
    """A way that was left: after `after` steps of the run these were taken."""

    after: int
    steps: tuple[str, ...]


@dataclass(frozen=True)
class Address:
    """A run of a protocol and what is looked at of it.

    `protocol` is a reference with settings, `bounds` what differs from its defaults. A run begins in the initial state
    of number `first`, or, of a trace that does not begin in one, in that of the leaves' codes `codes`. `steps` are the
    labels of its actions, `at` the state that is looked at, `branches` ways that were left. `about` is the property
    that a trace is about, `asked` are expressions of `self`, `beside` is another protocol on the same schedule.
    """

    protocol: str
    bounds: tuple[tuple[str, int], ...] = ()
    first: int = 0
    codes: tuple[int, ...] = ()
    steps: tuple[str, ...] = ()
    at: int = 0
    branches: tuple[Branch, ...] = ()
    about: str = ""
    asked: tuple[str, ...] = ()
    beside: str = ""

    # -- where one can go from here -------------------------------------------------------------------------------

    def looking_at(self, number: int) -> Address:
        """The same run, another state of it."""
        return replace(self, at=max(0, min(number, len(self.steps))))

    def taking(self, label: str) -> Address:
        """The run with a step taken from the state that is looked at; what came after it becomes a branch."""
        if self.steps[self.at : self.at + 1] == (label,):
            return self.looking_at(self.at + 1)
        for branch in self.branches:
            if branch.after == self.at and branch.steps[:1] == (label,):
                return self.on(branch)
        return replace(self, steps=(*self.steps[: self.at], label), at=self.at + 1, branches=self._left_behind(self.at))

    def on(self, branch: Branch) -> Address:
        """A branch as the run; the way that is left becomes a branch in its place. The state after its first step."""
        kept = tuple(one for one in self._left_behind(branch.after) if one != branch)
        steps = (*self.steps[: branch.after], *branch.steps)
        return replace(self, steps=steps, at=branch.after + 1, branches=kept)

    def without(self, branch: Branch) -> Address:
        """The run without a branch."""
        return replace(self, branches=tuple(one for one in self.branches if one != branch))

    def cut(self) -> Address:
        """The run up to the state that is looked at; what came after it is gone."""
        kept = tuple(one for one in self.branches if one.after <= self.at)
        return replace(self, steps=self.steps[: self.at], branches=kept)

    def asking(self, expression: str) -> Address:
        """The run with an expression that is evaluated in each of its states."""
        asked = tuple(dict.fromkeys((*self.asked, expression)))
        return replace(self, asked=asked)

    def not_asking(self, expression: str) -> Address:
        """The run without an expression."""
        return replace(self, asked=tuple(one for one in self.asked if one != expression))

    def beside_of(self, other: str) -> Address:
        """The run with another protocol beside it, or with none."""
        return replace(self, beside=other)

    def from_initial(self, number: int) -> Address:
        """Another initial state, and nothing done yet."""
        return replace(self, first=number, codes=(), steps=(), at=0, branches=(), about="")

    def _left_behind(self, at: int) -> tuple[Branch, ...]:
        """The branches when the run is left at a state: its rest is one; those of the rest hang on it no more."""
        rest = self.steps[at:]
        kept = [one for one in self.branches if one.after <= at]
        later = [Branch(at, (*self.steps[at : one.after], *one.steps)) for one in self.branches if one.after > at]
        found = [*kept, *([Branch(at, rest)] if rest else []), *later]
        return tuple(dict.fromkeys(found))

    # -- as a text ------------------------------------------------------------------------------------------------

    def query(self) -> str:
        """The address as the query of a URL."""
        pairs = [("p", self.protocol)]
        pairs += [("bound", f"{name}:{value}") for name, value in self.bounds]
        pairs += [("first", str(self.first))] if self.first else []
        pairs += [("codes", ",".join(map(str, self.codes)))] if self.codes else []
        pairs += [("s", label) for label in self.steps]
        pairs += [("at", str(self.at))] if self.at != len(self.steps) else []
        pairs += [("b", f"{one.after};{_joined(one.steps)}") for one in self.branches]
        pairs += [("about", self.about)] if self.about else []
        pairs += [("ask", one) for one in self.asked]
        pairs += [("beside", self.beside)] if self.beside else []
        return urlencode(pairs, safe="(),:;")


def read_address(query: str) -> Address:
    """The address in the query of a URL. Raises UsageError for what is none."""
    said: dict[str, list[str]] = {}
    try:
        for name, value in parse_qsl(
            query, keep_blank_values=True, max_num_fields=4 * MOST_STEPS, strict_parsing=False
        ):
            said.setdefault(name, []).append(value)
    except ValueError:
        raise UsageError("the address is too long", "Begin again with a shorter run.") from None
    steps = tuple(said.get("s", ()))
    branches = tuple(_branch(one) for one in said.get("b", ()))
    if len(steps) + sum(len(one.steps) for one in branches) > MOST_STEPS:
        raise UsageError(f"the run has more than {MOST_STEPS} steps", "Begin again with a shorter run.")
    asked = tuple(dict.fromkeys(one for one in said.get("ask", ()) if one.strip()))
    if any(len(one) > LONGEST_ASKED for one in asked):
        raise UsageError(f"an expression has more than {LONGEST_ASKED} characters", "Ask something shorter.")
    if len(asked) > MOST_ASKED:
        raise UsageError(f"more than {MOST_ASKED} expressions are asked", "Take one away.")
    at = _number("at", _last(said, "at", str(len(steps))))
    return Address(
        protocol=_last(said, "p", ""),
        bounds=tuple(_bound(one) for one in said.get("bound", ())),
        first=_number("first", _last(said, "first", "0")),
        codes=_codes(_last(said, "codes", "")),
        steps=steps,
        at=min(at, len(steps)),
        branches=tuple(one for one in branches if one.after <= len(steps) and one.steps),
        about=_last(said, "about", ""),
        asked=asked,
        beside=_last(said, "beside", ""),
    )


def _joined(labels: Iterable[str]) -> str:
    return ";".join(quote(label, safe="(), ") for label in labels)


def _last(said: dict[str, list[str]], name: str, default: str) -> str:
    return said.get(name, [default])[-1]


def _branch(text: str) -> Branch:
    after, *labels = text.split(";")
    return Branch(_number("b", after), tuple(unquote(label) for label in labels if label))


def _bound(text: str) -> tuple[str, int]:
    name, _, value = text.partition(":")
    return name, _number(f"the bound {name[:LONGEST]}", value)


def _codes(text: str) -> tuple[int, ...]:
    return tuple(_number("codes", one) for one in text.split(",")) if text else ()


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UsageError(f"{name} is {text[:LONGEST]!r} in the address, and no number", "Begin from the start page.")
    return int(text)


def unique_labels(labels: Sequence[str]) -> list[str]:
    """Labels of which each stands for one: of several that read alike, the later ones have their number behind."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label} #{seen[label]}")
    return found


# -- shelf ------------------------------------------------------------------------------------------------------------
# The protocols that the explorer may open: registered ones, and those of files that the command line names.
#
# An address names a protocol, and addresses come from mails and chats. So what one says is compared with what is known,
# and no file is ever loaded because an address names it.

MOST_KEPT = 16
"""So many protocols within bounds stay in memory."""


@dataclass(frozen=True)
class Opened:
    """A protocol within bounds, and how it is called in addresses and on the command line, settings included."""

    reference: str
    protocol: Protocol

    @cached_property
    def by_label(self) -> Mapping[str, ActionInstance]:
        """The steps of the protocol by their labels, as addresses name them."""
        return dict(zip(self.labels, self.protocol.instances, strict=True))

    @cached_property
    def labels(self) -> Sequence[str]:
        """The labels of all steps, by their numbers."""
        return unique_labels([one.label for one in self.protocol.instances])

    @cached_property
    def initial_states(self) -> Sequence[tuple[int, ...]]:
        """The states in which runs begin."""
        return self.protocol.initial_states()

    @property
    def own_bounds(self) -> tuple[tuple[str, int], ...]:
        """The bounds that are not the protocol's defaults."""
        declared = type(self.protocol).bounds_type().declared()
        said = self.protocol.bounds.as_dict()
        return tuple((name, said[name]) for name, one in declared.items() if said[name] != one.default)


@dataclass
class Shelf:
    """Opens protocols. `named` are the classes of files that the user named, by their references without settings."""

    named: Mapping[str, type[Protocol]] = field(default_factory=dict)
    kept: dict[tuple[str, tuple[tuple[str, int], ...]], Opened] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What can be opened: what the user named first."""
        return list(dict.fromkeys((*self.named, *REGISTRY)))

    def open(self, reference: str, bounds: Sequence[tuple[str, int]] = ()) -> Opened:
        """A protocol within bounds. Raises UsageError for one that may not be opened, BoundsError for its bounds."""
        key = reference, tuple(bounds)
        if key not in self.kept:
            if len(self.kept) >= MOST_KEPT:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = Opened(reference, instantiate(self.kind(reference), dict(bounds)))
        return self.kept[key]

    def open_beside(self, reference: str, other: Protocol) -> Opened:
        """Another protocol, within the bounds of the first as far as it has them."""
        kind = self.kind(reference)
        declared, said = kind.bounds_type().declared(), other.bounds.as_dict()
        return self.open(reference, [(name, said[name]) for name in declared if name in said])

    def kind(self, reference: str) -> type[Protocol]:
        """The class of a protocol with its settings. Raises UsageError for one that may not be opened."""
        name, settings = split_reference(reference)
        if name in self.named:
            return with_configuration(self.named[name], settings)
        if is_registered(name):
            return with_configuration(registered(name), settings)
        if ".py" in name:
            raise UsageError(
                f"{name[:LONGEST]} was not named when the explorer began; no file runs because an address names it",
                "If you trust it, end the explorer and start it with that file.",
            )
        raise UsageError(f"no protocol is named {name[:LONGEST]!r}", advice(name[:LONGEST], self.names, "protocols"))


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
