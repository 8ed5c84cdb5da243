"""Whether a protocol with history takes the steps of the protocol that it is derived from, state by state.

A proof may need variables that remember. They may only be written: a step is possible and changes the shared variables
exactly as without them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from epochal.spec.language import Protocol

from ..semantics.semantics import Codes


def difference(plain: Protocol, remembering: Protocol, states: int | None = None) -> tuple[str, int]:
    """The first difference between the steps of the two, "" if there is none, and how many states were compared.

    Looked at are the first `states` states that `remembering` reaches, breadth-first; None: all of them. Both have the
    same bounds, and the variables of `plain` are among those of `remembering`.
    """
    shared = _shared(plain, remembering)
    begin = remembering.initial_states()
    if {shared(codes) for codes in begin} != set(plain.initial_states()):
        return "they begin otherwise", 0
    seen, waiting, compared = set(begin), deque(begin), 0
    while waiting and (states is None or compared < states):
        codes = waiting.popleft()
        compared += 1
        own = {instance.label: after for instance, after in remembering.successors(codes)}
        other = {instance.label: after for instance, after in plain.successors(shared(codes))}
        for label in own.keys() | other.keys():
            if label not in own or label not in other:
                who = remembering if label in own else plain
                return f"{label} is a step of {who.name} only", compared
            if shared(own[label]) != other[label]:
                return f"{label} leads elsewhere", compared
        for after in own.values():
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return "", compared


def _shared(plain: Protocol, remembering: Protocol) -> Callable[[Codes], Codes]:
    """What takes a state of `remembering` to the state of `plain` in it."""
    leaves: list[int] = []
    for name, variable in plain.variables.items():
        first = remembering.variables[name].first_leaf
        leaves += range(first, first + variable.domain.leaf_count)
    return lambda codes: tuple(codes[at] for at in leaves)
