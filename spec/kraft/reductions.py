"""What the modern protocol joins in one step, the rules that this is right for, and what is done where one is another.

Each reduction rests on some rules of Kafka: docs/decisions/011-what-is-joined-in-one-step.md has the arguments. A class
that derives from the protocol may replace such a rule, or read what the step has changed; then the argument is void.
Either the reduction is taken back, or every report says that it cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from types import FunctionType

from ..language.functions import function_of, functions_beside, names_in
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
    Without `taken_back` nothing is done about it, and `says` is what cannot be told; with it, `otherwise` is what
    cannot be told where it is not taken back.
    """

    title: str
    rests_on: tuple[str, ...]
    says: str
    changes: frozenset[str] = frozenset()
    deep: bool = False
    taken_back: bool = False
    otherwise: str = ""


FETCH = Reduction(
    "a fetch is one step",
    ("fetch",),
    "the answer to a fetch may be lost here (FetchWithoutAnswer): elsewhere a fetch is one step, which is right for "
    "the rules of Kafka alone",
    changes=frozenset({"followers", "proposed", "request", "hw"}),
    deep=True,
    taken_back=True,
    otherwise="a fetch is one step, whose answer is never lost (FetchWithoutAnswer): a run that needs that is not seen",
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
    others = [rule for rule in _rules(kind) if not rule.ours]
    found = []
    for one in REDUCTIONS:
        based_on = _called(kind, one.rests_on) if one.deep else frozenset(one.rests_on)
        rules = dict.fromkeys(rule.name for rule in others if rule.name in based_on or rule.names & one.changes)
        rules |= dict.fromkeys(_own_settings(kind, based_on))
        if rules:
            found.append(Taken(one, tuple(rules)))
    return tuple(found)


def void_if_changed(kind: type[KraftState], names: Iterable[str]) -> tuple[Taken, ...]:
    """The reductions that rest on rules of these names, and that `kind` has: void for it, were they changed.

    Nothing is taken back by that: whoever changes a rule in a copy of the protocol, as a mutant does, is told.
    """
    apart = any(action.name == "fetch_without_answer" for action in kind.members("action"))
    found = []
    for one in REDUCTIONS:
        if one.taken_back and apart:
            continue
        based_on = _called(kind, one.rests_on) if one.deep else frozenset(one.rests_on)
        rules = [
            name
            for name in sorted(set(names))
            if name in based_on or any(names_in(rule) & one.changes for rule in _definitions(kind, name))
        ]
        if rules:
            says = one.otherwise or one.says
            found.append(Taken(replace(one, says=says, taken_back=False), tuple(rules)))
    return tuple(found)


def _own_settings(kind: type[KraftState], rules: Iterable[str]) -> list[str]:
    """The settings that somebody else's class has changed itself, and that these rules read."""
    said = [vars(owner).get("settings") for owner in kind.__mro__ if not _is_ours(owner.__module__)]
    read = {name for rule in rules for one in _definitions(kind, rule) for name in names_in(one)}
    own = next((one for one in said if isinstance(one, Settings)), Settings())
    changed = [f.name for f in fields(Settings) if f.name in read - CHOSEN]
    return [name for name in changed if getattr(own, name) != getattr(Settings(), name)]


@dataclass(frozen=True)
class _Rule:
    """A function: what it is called, what it names, and whether it is one of Kafka's own."""

    name: str
    ours: bool
    names: frozenset[str]


def _is_ours(module: str) -> bool:
    return module.startswith(OWN) or module == "builtins"


def _rules(kind: type[KraftState]) -> Iterator[_Rule]:
    """Every function that a step or an initial state of a class may run, once, somebody else's helpers among them.

    A name stands for whatever any class of the protocol defines under it, and for what it means where it is used.
    """
    roots = ["initial", *(action.name for action in kind.members("action"))]
    todo = [(name, function) for name in roots for function in _definitions(kind, name)]
    seen: set[tuple[str, FunctionType]] = set()
    while todo:
        name, function = todo.pop()
        if (name, function) in seen:
            continue
        seen.add((name, function))
        named = frozenset(names_in(function))
        yield _Rule(name, _is_ours(function.__module__), named)
        todo += [(one, method) for one in named for method in _definitions(kind, one)]
        todo += [(helper.__name__, helper) for helper in functions_beside(function, named)]


def _called(kind: type[KraftState], names: Iterable[str]) -> frozenset[str]:
    """These rules, and what Kafka's own definitions of them call."""
    left, found = list(names), set()
    while left:
        name = left.pop()
        own = [one for one in _definitions(kind, name) if _is_ours(one.__module__)]
        if own and name not in found:
            found.add(name)
            left.extend(called for function in own for called in _names_reached(function))
    return frozenset(found)


def _names_reached(function: FunctionType) -> frozenset[str]:
    """What one of Kafka's own functions names, and the functions beside it that it calls."""
    todo, seen, found = [function], set[FunctionType](), set[str]()
    while todo:
        now = todo.pop()
        if now not in seen:
            seen.add(now)
            named = set(names_in(now))
            found |= named
            todo += functions_beside(now, named)
    return frozenset(found)


def _definitions(kind: type[KraftState], name: str) -> Iterator[FunctionType]:
    """What each class of the protocol defines under a name, if it is a function; `super()` may run all of them."""
    for owner in kind.__mro__:
        function = function_of(vars(owner).get(name))
        if function is not None:
            yield function
