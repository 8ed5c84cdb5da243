"""Several options at once: `kraft+retention+reassignment` is `kraft` with the steps of both.

An option is written on top of the core, and calls what was there before it (`super()`). So those that follow each other
in the order of resolution compose by themselves, unless two of them mean different things by one name, or one puts a
rule of its own in the place of one that the other changes (`clashes`).
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..language import LoadError, bound
from ..language.errors import advice
from ..language.functions import function_of, names_in, own_annotations
from ..language.marks import mark_of
from .configuration import SETTINGS, ConfigurableKraft, with_more
from .options.needed import MODULES
from .options.retention import Retention
from .options.retries import Retries
from .options.tiered_storage import TieredStorage
from .options.transactions import Transactions
from .rules import RULES, KraftBug
from .settings import Settings
from .state import KraftBounds, KraftState

JOINED: Final = "+"
"""What stands between the names of options, after `kraft`."""

CORE: Final = ConfigurableKraft.name

IN_WORDS: Final = "_in_words"
"""What the names of functions end in that only say something for people."""

RULES_OF_ALL: Final = frozenset(name for owner in ConfigurableKraft.__mro__ for name in vars(owner))
"""The names of the core."""

TOLD: Final = ("view", "reachable", "leads_to")
"""Marks of what judges or tells a state, and changes none: two options may each say what they like."""


def called(kind: type[KraftState]) -> str:
    """The name of an option: `UncleanCancellation` is `unclean-cancellation`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def _own(kind: type[KraftState]) -> Iterator[type]:
    """The classes of an option that are none of the core."""
    return (owner for owner in kind.__mro__ if owner not in ConfigurableKraft.__mro__)


def _says_something(kind: type[KraftState]) -> bool:
    """Whether an option has a variable, a step, a rule or a property of its own."""
    members = [(name, value) for owner in _own(kind) for name, value in vars(owner).items()]
    marks = [mark.kind for _, value in members if (mark := mark_of(value)) is not None]
    return (
        any(own_annotations(owner) for owner in _own(kind))
        or any(one not in TOLD for one in marks)
        or any(name in RULES_OF_ALL and function_of(value) is not None for name, value in members)
    )


OPTIONS: Final[Mapping[str, type[KraftState]]] = {
    called(kind): kind
    for module in MODULES
    for kind in vars(module).values()
    if isinstance(kind, type)
    and issubclass(kind, KraftState)
    and kind.__module__ == module.__name__
    and _says_something(kind)
}
"""Every option by its name, in the order of their files."""


def includes(option: str, other: str) -> bool:
    """Whether one option has all of the other, because it derives from it."""
    return option != other and issubclass(OPTIONS[option], OPTIONS[other])


def is_bridge(option: str) -> bool:
    """Whether an option has nothing new, and says only how steps of several others go together."""
    kind = OPTIONS[option]
    based_on = [base for base in kind.__bases__ if base in OPTIONS.values()]
    before = {name for owner in kind.__mro__[1:] for name in vars(owner)}
    own = {name for name in vars(kind) if not name.startswith("__")}
    return len(based_on) > 1 and not own_annotations(kind) and own <= before


BRIDGES: Final = tuple(one for one in OPTIONS if is_bridge(one))
"""Those come by themselves where the options are that they derive from."""


def lies_between(option: str) -> bool:
    """Whether an option is a mere bridge, which no rule is about, or derives from one."""
    ruled = {one.steps for one in RULES.values()}
    mere = [OPTIONS[one] for one in BRIDGES if OPTIONS[one] not in ruled]
    return any(issubclass(OPTIONS[option], one) for one in mere)


_MECHANISMS = tuple(one for one in OPTIONS if not lies_between(one))

_ASKED_FOR = {rule.steps for rule in RULES.values() if rule.only_where_asked_for}

WIDEST: Final = tuple(
    one
    for one in _MECHANISMS
    if not any(includes(other, one) and OPTIONS[other] not in _ASKED_FOR for other in _MECHANISMS)
)
"""The mechanisms that no other one includes, but for those that come only where somebody asks for them.

With what lies between them they have all the steps that there are.
"""


# -- what cannot be composed ------------------------------------------------------------------------------------------

EXCLUDED: Final = (
    (TieredStorage, Retention, "with remote storage a broker's own retention deletes from its disk alone"),
    (
        Transactions,
        Retries,
        "a producer with a transactional id sends within transactions alone",
    ),
)
"""Options of which Kafka has one only, and why (UnifiedLog.deleteSegments, TransactionManager.isTransactional)."""


@functools.cache
def clashes(one: str, other: str) -> tuple[str, ...]:
    """Why two options cannot be composed, in words; nothing if they can."""
    first, second = OPTIONS[one], OPTIONS[other]
    found = [
        why
        for a, b, why in EXCLUDED
        for x, y in ((first, second), (second, first))
        if issubclass(x, a) and issubclass(y, b)
    ]
    mine, yours = _defined_in(first), _defined_in(second)
    for name in sorted(mine.keys() & yours.keys()):
        only_mine = [owner for owner in mine[name] if owner not in yours[name]]
        only_yours = [owner for owner in yours[name] if owner not in mine[name]]
        if not only_mine or not only_yours:
            continue
        if name not in RULES_OF_ALL and len(only_mine) == len(mine[name]) and len(only_yours) == len(yours[name]):
            if not _is_shared(name, only_mine[-1], only_yours[-1]):
                found.append(f"both have `{name}`, and mean different things by it")
        else:
            whole = [owner for owner in (*only_mine, *only_yours) if _replaces(owner, name)]
            if whole:
                found.append(f"`{whole[0].__name__}` replaces the rule `{name}`, which the other option changes")
    return tuple(found)


def _defined_in(kind: type[KraftState]) -> Mapping[str, list[type]]:
    """The names of variables and functions of an option, each with its classes that define it."""
    found: dict[str, list[type]] = {}
    for owner in _own(kind):
        for name in {**vars(owner), **own_annotations(owner)}:
            if not name.startswith("__") and name != "bounds" and not name.endswith(IN_WORDS):
                found.setdefault(name, []).append(owner)
    return found


def _is_shared(name: str, one: type, other: type) -> bool:
    """Whether two classes declare one variable, of one type: it is the same, and both keep it."""
    declared = [own_annotations(owner).get(name) for owner in (one, other)]
    return declared[0] is not None and declared[0] == declared[1]


def _replaces(owner: type, name: str) -> bool:
    """Whether a class puts a rule of its own in the place of the one that there was, and does not ask that."""
    function = function_of(vars(owner).get(name))
    mark = mark_of(function)
    if function is None or (mark is not None and mark.kind in TOLD):
        return False
    return not {"super", name} <= names_in(function)


# -- several at once --------------------------------------------------------------------------------------------------


def composed(names: Iterable[str]) -> type[ConfigurableKraft]:
    """The protocol with all of these options. Raises LoadError for one that is not known, or two that clash.

    Their order is that of their files, whatever order they are named in. A setting that is an option is on, such as
    `waits_for_caught_up`.
    """
    asked = frozenset(names)
    for name in sorted(asked):
        if name not in OPTIONS:
            raise LoadError(f"no option of kraft is called {name!r}", advice=advice(name, OPTIONS, "options"))
    chosen = tuple(one for one in OPTIONS if one in asked and not any(includes(other, one) for other in asked))
    for one, other in itertools.combinations(chosen, 2):
        for why in clashes(one, other):
            raise LoadError(f"{one} and {other} cannot be composed: {why}")
    return _composed(chosen) if chosen else ConfigurableKraft


def steps_of(names: Iterable[str]) -> tuple[type[KraftState], ...]:
    """The classes of options, and before them the bridges between them; those of bridges themselves come first."""
    every = [OPTIONS[one] for one in names]
    bridges = [OPTIONS[one] for one in BRIDGES]
    while found := [one for one in bridges if one not in every and _is_between(one, every)]:
        every = [*found, *every]
    return tuple(one for one in every if not any(other is not one and issubclass(other, one) for other in every))


def _is_between(bridge: type[KraftState], chosen: list[type[KraftState]]) -> bool:
    """Whether all that a bridge derives from is among some classes, or included in them."""
    return all(any(issubclass(kind, base) for kind in chosen) for base in bridge.__bases__)


def can_be_composed(names: Iterable[str]) -> bool:
    """Whether there is a protocol with all of these options."""
    try:
        composed(names)
    except LoadError:
        return False
    return True


@functools.cache
def _composed(names: tuple[str, ...]) -> type[ConfigurableKraft]:
    steps = steps_of(names)
    made = with_more(ConfigurableKraft, *steps)
    made.__name__ = made.__qualname__ = f"{''.join(OPTIONS[one].__name__ for one in names)}Kraft"
    made.name = JOINED.join((CORE, *names))
    made.__doc__ = f"KRaft with several options at once: {', '.join(OPTIONS[one].__name__ for one in names)}."
    for one in ConfigurableKraft().members("reachable"):
        setattr(made, one.name, None)  # at bounds of seconds not all of them happen: `kraft` shows them
    made.__annotations__ = {"bounds": _joined(steps, least_bounds(names))}
    switches: dict[str, Any] = {
        one.name: True for one in SETTINGS if one.name in RULES and issubclass(made, RULES[one.name].steps)
    }
    made.settings = replace(Settings(), **switches)
    return made


def _joined(steps: Iterable[type[KraftState]], defaults: Mapping[str, int]) -> type[KraftBounds]:
    """The bounds of all options, with these defaults."""
    said = dict.fromkeys(one.bounds_type() for one in steps)
    narrowest = tuple(one for one in said if not any(other is not one and issubclass(other, one) for other in said))
    declared = {
        name: bound(defaults.get(name, one.least), least=one.least, most=one.most, help=one.help, why=one.why)
        for kind in narrowest
        for name, one in kind.declared().items()
    }
    body = {"__annotations__": dict.fromkeys(declared, int), "__doc__": KraftBounds.__doc__, **declared}
    made: type[KraftBounds] = dataclass(frozen=True)(type("ComposedBounds", narrowest, body))
    return made


# -- bounds -----------------------------------------------------------------------------------------------------------

FAILOVER: Final[Mapping[str, int]] = {"replication_factor": 2, "max_epoch": 2, "fencings": 1}
"""What every composition may do, whatever its options need: one broker is fenced, and another leads."""

WITHOUT_BUG: Final[Mapping[str, int]] = {"crashes": 1, "shrinks": 1}
"""What an option without a known bug gets besides: a crash that loses nothing, and a follower that is too slow."""

MOST: Final[Mapping[str, int]] = {
    "replication_factor": 2,
    "records": 2,
    "max_epoch": 2,
    "metadata_lag": 2,
    "fencings": 2,
    "elections": 1,
    "reassignments": 2,
}
"""The most that a composition gets by default, so that its search takes seconds. All steps happen within these, though
some bugs do not."""


def bugs_of(option: str) -> tuple[KraftBug, ...]:
    """The known bugs of an option; of one that has none, those of the options that it includes."""
    every = [bug for module in MODULES for bug in getattr(module, "BUGS", ())]
    for kind in _own(OPTIONS[option]):
        found = tuple(bug for bug in every if kind in (*bug.steps, *(_governed(name) for name in bug.rule)))
        if found:
            return found
    return ()


def _governed(rule: str) -> type[KraftState] | None:
    return RULES[rule].steps if rule in RULES else None


def least_bug_of(option: str) -> KraftBug | None:
    """The known bug of an option that needs least; None if it has none."""
    return min(bugs_of(option), key=lambda bug: sum(bug.bounds.values()), default=None)


def least_bounds(names: Iterable[str]) -> dict[str, int]:
    """Bounds at which the steps of all these options happen: those that a known bug of each needs, up to a limit."""
    found = dict(FAILOVER)
    for option in names:
        bug = least_bug_of(option)
        needed = {**dict.fromkeys(spends(option), 1), **(WITHOUT_BUG if bug is None else bug.bounds)}
        for name, value in needed.items():
            found[name] = max(found.get(name, 0), min(value, MOST.get(name, value)))
    return found


@functools.cache
def spends(option: str) -> frozenset[str]:
    """The bounds that limit the steps of an option's own: `elections`, `crashes`."""
    limited = OPTIONS[option].bounds_type().declared().keys()
    core = {one.name for one in ConfigurableKraft().members("action")}
    own = [
        function
        for owner in _own(OPTIONS[option])
        for name, value in vars(owner).items()
        if name not in core and (mark := mark_of(value)) is not None and mark.kind == "action"
        if (function := function_of(value)) is not None
    ]
    return frozenset(name for one in own for name in limited & names_in(one) if name in PERTURBATIONS)


PERTURBATIONS: Final = frozenset(("crashes", "lossy_crashes", "fencings", "shrinks", "elections"))
"""The bounds of the core on how much may go wrong."""
