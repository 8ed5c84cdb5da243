"""What a change really changed: for each action the steps that one protocol takes and another does not.

The two must have the same states. Actions are matched by name. It is asked of Z3 in any typed state, and in any that
satisfies the lemmas which both have; and of the native search in every state that the protocol with the step reaches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from epochal.checker.search.patience import COMPILING, Patience
from epochal.checker.search.result import Options, Progress
from epochal.checker.trace.trace import Codes
from epochal.spec.language import Protocol

from ..compile.compiler import compile_protocol
from ..host.measure import Stopwatch, without_collection
from .shape import refuse_other_shape
from .sides import INTERRUPTED, ActionDifference, Answer, Explored, Scope, Side, with_questions

RLIMIT = 100_000_000
MAX_STATES = 2_000_000


@dataclass(frozen=True)
class Comparison:
    """The result: `lost` are the steps that only `first` takes, `gained` those that only `second` takes."""

    first: Protocol
    second: Protocol
    lemmas: tuple[str, ...]
    lost: tuple[ActionDifference, ...]
    gained: tuple[ActionDifference, ...]
    initial_only: tuple[tuple[Codes, ...], tuple[Codes, ...]]
    constraint: Answer
    explored: tuple[Explored, Explored]
    rlimit: int
    max_states: int
    solver_seconds: float
    wall_seconds: float
    cpu_seconds: float

    def answers(self, scope: Scope) -> set[Answer]:
        """The answers of all actions in one scope, both ways."""
        return {one.findings[scope].answer for one in (*self.lost, *self.gained)}

    @property
    def solver_gave_up(self) -> bool:
        """Whether Z3 left a question open that no search has settled."""
        open_actions = [o for o in (*self.lost, *self.gained) if o.findings["reachable"].answer == "unknown"]
        return self.constraint == "unknown" or any(o.findings["typed"].answer == "unknown" for o in open_actions)

    @property
    def verdict(self) -> Answer:
        """Whether the two protocols behave the same, from their initial states on."""
        if any(self.initial_only) or "differs" in self.answers("reachable"):
            return "differs"
        everywhere = self.answers("typed") == {"same"}
        if self.constraint != "same":
            return "unknown"
        return "same" if everywhere or self.answers("reachable") == {"same"} else "unknown"


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
    forth = dict(renames or {})
    back = {new: old for old, new in forth.items()}
    lemmas = tuple(m.name for m in first.members("lemma") if m.name in {o.name for o in second.members("lemma")})
    with Patience(budget, progress=progress, begun=begun).watching(COMPILING), without_collection():
        plain = compile_protocol(with_questions(second, {}, lemmas), bool(lemmas))
        one = Side(first, plain, forth, lemmas, rlimit)
        other = Side(second, one.model, back, lemmas, rlimit)
    options = Options(max_states=max_states, budget=budget, progress=progress, begun=begun)
    lost = one.differences(options)
    gained = other.differences(options, stopped=one.explored.cut == INTERRUPTED)
    states = first.initial_states(), second.initial_states()
    return Comparison(
        first=first,
        second=second,
        lemmas=lemmas,
        lost=lost,
        gained=gained,
        initial_only=(
            tuple(c for c in states[0] if c not in set(states[1])),
            tuple(c for c in states[1] if c not in set(states[0])),
        ),
        constraint=one.constraint(),
        explored=(one.explored, other.explored),
        rlimit=rlimit,
        max_states=max_states,
        solver_seconds=one.solver_seconds + other.solver_seconds,
        wall_seconds=watch.wall_seconds(),
        cpu_seconds=time.process_time() - cpu,
    )
