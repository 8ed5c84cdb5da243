"""What the modern protocol joins in one step, the rules that this is right for, and what is done where one is another.

Each reduction rests on some rules of Kafka: docs/decisions/011-what-is-joined-in-one-step.md has the arguments. A class
that derives from the protocol may replace such a rule, or read what the step has changed; then the argument is void.
Either the reduction is taken back, or every report says that it cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from types import CodeType, FunctionType

from .settings import Settings
from .state import KraftState

OWN = __name__.partition(".")[0] + "."
"""What the names of the modules begin with whose rules are those of Kafka."""

CHOSEN = frozenset({"min_insync_replicas", "acks", "unclean_leader_election"})
"""Settings that an operator or a producer chooses: no rules."""


@dataclass(frozen=True)
class Reduction:
    """Effects that are one step here. It rests on the rules `rests_on`, and on whatever they call if it is `deep`.

    `changes` are the variables that the step changes early: a rule of somebody else that names one rests on it, too.
    Without `taken_back` nothing is done about it, and `says` is what cannot be told.
    """

    title: str
    rests_on: tuple[str, ...]
    says: str
    changes: frozenset[str] = frozenset()
    deep: bool = False
    taken_back: bool = False


FETCH = Reduction(
    "a fetch is one step",
    ("fetch",),
    "the answer to a fetch may be lost here (FetchWithoutAnswer): elsewhere a fetch is one step, which is right for "
    "the rules of Kafka alone",
    changes=frozenset({"followers", "proposed", "request", "hw"}),
    deep=True,
    taken_back=True,
)

REDUCTIONS: tuple[Reduction, ...] = (
    FETCH,
    Reduction(
        "one AlterPartition request at a time",
        (
            "may_propose",
            "propose",
            "forget_request",
            "withdraw_proposal",
            "is_from_present_leader",
            "handle_alter_partition",
        ),
        "a partition has one AlterPartition request on its way, which is never lost, and of which no second copy "
        "arrives after its refusal (RepeatedRequests): a run that needs more is not seen",
    ),
    Reduction(
        "an accepted proposal is known by replaying the change",
        ("become_leader", "maximal_isr", "forget_leadership", "replay_metadata"),
        "a leader learns that its proposal was accepted by replaying the change, never from the answer before "
        "(AnswersAheadOfMetadata): a run that needs that is not seen",
    ),
    Reduction(
        "a change that makes no difference counts as replayed",
        (
            "matters_to",
            "ends_a_batch",
            "forget_replayed_changes",
            "become_follower",
            "act_on_metadata",
            "append_change",
            "replay_metadata",
        ),
        "a broker counts as having replayed a change of which only Kafka's own rules make nothing, such as a follower "
        "one of the ISR: a run in which it acts on it is not seen",
    ),
    Reduction(
        "fencing and registration are known at once",
        ("is_eligible", "handle_alter_partition", "restart", "is_active"),
        "a leader knows at once who is fenced, and a broker that starts the metadata up to its registration: that the "
        "controller looks again is a rule of Kafka, and a run in which somebody acts on what was before is not seen",
    ),
)
"""All of them that a rule of somebody else can make wrong."""


@dataclass(frozen=True)
class Taken:
    """A reduction whose argument is void for a class, and the rules of its own that make it so."""

    reduction: Reduction
    rules: tuple[str, ...]

    def __str__(self) -> str:
        several = len(self.rules) > 1
        whose = f"{', '.join(self.rules)} {'are' if several else 'is'} not Kafka's own"
        said = self.reduction.says
        return f"{whose}: {said}" if self.reduction.taken_back else f"{whose}, so this cannot be told: {said}"


def void(kind: type[KraftState]) -> tuple[Taken, ...]:
    """The reductions that rules of a class make void; none for a class that is made of the rules of Kafka alone."""
    if all(_is_ours(owner.__module__) for owner in kind.__mro__):
        return ()
    others = {name: named for name, named in _rules(kind) if not named.ours}
    found = []
    for one in REDUCTIONS:
        based_on = _called(kind, one.rests_on) if one.deep else frozenset(one.rests_on)
        rules = [name for name, rule in others.items() if name in based_on or rule.names & one.changes]
        rules += _own_settings(kind, based_on)
        if rules:
            found.append(Taken(one, tuple(rules)))
    return tuple(found)


def _own_settings(kind: type[KraftState], rules: Iterable[str]) -> list[str]:
    """The settings that somebody else's class has changed itself, and that these rules read."""
    said = [vars(owner).get("settings") for owner in kind.__mro__ if not _is_ours(owner.__module__)]
    read = {name for rule in rules for one in _definitions(kind, rule) for name in _names(one.__code__)}
    own = next((one for one in said if isinstance(one, Settings)), Settings())
    rules = [f.name for f in fields(Settings) if f.name in read - CHOSEN]
    return [name for name in rules if getattr(own, name) != getattr(Settings(), name)]


@dataclass(frozen=True)
class _Rule:
    """What a function names, and whether it is one of Kafka's own."""

    ours: bool
    names: frozenset[str]


def _is_ours(module: str) -> bool:
    return module.startswith(OWN) or module == "builtins"


def _rules(kind: type[KraftState]) -> Iterator[tuple[str, _Rule]]:
    """Every function that a step or an initial state of a class may run, somebody else's helpers among them."""
    roots = ["initial", *(action.name for action in kind.members("action"))]
    seen: set[str] = set()
    while roots:
        name = roots.pop()
        if name in seen:
            continue
        seen.add(name)
        for function in _definitions(kind, name):
            named = frozenset(_names(function.__code__))
            helpers = [function.__globals__.get(one) for one in named]
            for helper in helpers:
                if isinstance(helper, FunctionType) and not _is_ours(helper.__module__):
                    yield helper.__name__, _Rule(False, frozenset(_names(helper.__code__)))
                    roots.extend(_names(helper.__code__))
            roots.extend(named)
            yield name, _Rule(_is_ours(function.__module__), named)


def _called(kind: type[KraftState], names: Iterable[str]) -> frozenset[str]:
    """These rules, and what Kafka's own definitions of them call."""
    left, found = list(names), set()
    while left:
        name = left.pop()
        own = [one for one in _definitions(kind, name) if _is_ours(one.__module__)]
        if own and name not in found:
            found.add(name)
            left.extend(called for function in own for called in _names(function.__code__))
    return frozenset(found)


def _definitions(kind: type[KraftState], name: str) -> Iterator[FunctionType]:
    """What each class of the protocol defines under a name, if it is a function; `super()` may run all of them."""
    for owner in kind.__mro__:
        value = vars(owner).get(name)
        function = value.fget if isinstance(value, property) else value
        if isinstance(function, FunctionType):
            yield function


def _names(code: CodeType) -> Iterator[str]:
    """The attributes and globals that code names, those of its comprehensions among them."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
