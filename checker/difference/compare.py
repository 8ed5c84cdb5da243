"""What a change really changed: for each action the steps that one protocol takes and another does not.

The two must have the same states. Actions are matched by name. It is asked of Z3 in any typed state, and in any that
satisfies the lemmas which both have; and of the native search in every state that the protocol with the step reaches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epochal.spec.language import Protocol

from ..base.machine import Stopwatch, without_collection
from ..compile.compiler import compile_protocol
from ..ir.model import refuse_other_shape
from ..search.budget import COMPILING, Deadline
from ..search.result import Options, Progress
from ..semantics.properties import KINDS
from .difference import ActionDifference, Answer, Difference, Scope
from .reached import SAME, OneWay, Reached, initial_only, reached
from .rules import rules_of
from .unreached import TypedStates

RLIMIT = 100_000_000
MAX_STATES = 2_000_000


@dataclass(frozen=True, kw_only=True)
class Comparison(Difference):
    """The difference of two protocols, the first on the left, with what Z3 says besides.

    `constraint` is about typed states. `lemmas` are those which both have.
    """

    first: Protocol
    second: Protocol
    lemmas: tuple[str, ...]
    rlimit: int
    max_states: int
    solver_seconds: float
    wall_seconds: float
    cpu_seconds: float

    def answers(self, scope: Scope) -> set[Answer]:
        """The answers of all actions in one scope, both ways."""
        return {one.answers[scope].answer for one in (*self.lost, *self.gained)}

    @property
    def solver_gave_up(self) -> bool:
        """Whether Z3 left a question open that no search has settled."""
        open_actions = [one for one in (*self.lost, *self.gained) if one.reachable.answer == "unknown"]
        return self.constraint == "unknown" or any(one.answers["typed"].answer == "unknown" for one in open_actions)

    @property
    def verdict(self) -> Answer:
        """Whether the two protocols behave the same, from their initial states on."""
        if self.narrows or self.widens:
            return "differs"
        return "unknown" if self.constraint != "same" or "unknown" in self.answers("reachable") else "same"


def compare(
    first: Protocol,
    second: Protocol,
    renames: Mapping[str, str] | None = None,
    *,
    rlimit: int = RLIMIT,
    max_states: int = MAX_STATES,
    budget: float | None = None,
    begun: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare two protocols with the same states; `renames` gives actions of the first their names in the second.

    `budget` is in seconds since `begun`, a moment of time.monotonic (None: now), for both searches together.

    Raises LanguageError, naming the first difference, if their states are not of one shape.
    """
    watch, cpu = Stopwatch(), time.process_time()
    begun = time.monotonic() if begun is None else begun
    refuse_other_shape(first, second, second.name)
    lemmas = tuple(m.name for m in first.members("lemma") if m.name in {o.name for o in second.members("lemma")})
    with Deadline(budget, progress=progress, begun=begun).watching(COMPILING), without_collection():
        models = [compile_protocol(_without_properties(one, lemmas), bool(lemmas)) for one in (first, second)]
        left, right = (rules_of(model, protocol) for model, protocol in zip(models, (first, second), strict=True))
        forth = OneWay(left, right, renames or {})
        back = OneWay(right, left, {new: old for old, new in (renames or {}).items()})
        typed = [TypedStates(model, way, rlimit) for model, way in zip(models, (forth, back), strict=True)]
    options = Options(max_states=max_states, budget=budget, progress=progress, begun=begun)
    found = [Reached()]
    own: list[tuple[ActionDifference, ...]] = []
    for states, other in zip(typed, reversed(models), strict=True):
        way, asked = states.way, states.answers(other)
        differing = {action: steps for action, steps in way.own.items() if asked[action]["typed"] != SAME}
        found.append(reached(way.left, differing, options, before=found[-1]))
        own.append(way.differences(found[-1], asked))
    return Comparison(
        own[0],
        own[1],
        initial_only(left, right),
        typed[0].constraint(),
        (found[1].explored, found[2].explored),
        first=first,
        second=second,
        lemmas=lemmas,
        rlimit=rlimit,
        max_states=max_states,
        solver_seconds=sum(states.seconds for states in typed),
        wall_seconds=watch.wall_seconds(),
        cpu_seconds=time.process_time() - cpu,
    )


def _without_properties(protocol: Protocol, lemmas: Sequence[str]) -> Protocol:
    """The protocol without its properties; only these lemmas stay."""
    members: dict[str, Any] = {m.name: None for kind in KINDS for m in protocol.members(kind)}
    members |= {m.name: None for m in protocol.members("lemma") if m.name not in lemmas}
    own = type(protocol)
    bare: type[Protocol] = type(own.__name__, (own,), {**members, "__module__": own.__module__})
    return bare(protocol.bounds)
