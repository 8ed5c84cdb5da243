"""One worker of a search: its records, its part of the table, its counters, and what it has found."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from ..engine import SearchCode
from ..kernel.flight import IN_FLIGHT
from ..kernel.take import COLUMNS_FROM, ORIGIN_WORDS
from ..kernel.vocabulary import FAILURE, FINDING_WORDS, NO_INSTANCE
from ..llvm.jit import MachineCode
from ..llvm.lanes import LANES
from ..tuning import Tuning
from .context import Context, SuccessorBuffer, Words
from .state_store import StateStore

BUFFERED, LEAST_BUFFERED, BUFFERED_IN_ALL = 96, 16, 1 << 10
"""How many successors there is room for in a batch, beside those of one more group of states. With many workers it is
their share of so many in all: in every part of the table there must be room for the batches of all of them."""

GROUPED = 1 << 12
"""Steps are taken of groups of eight states if all workers together can make no more successors than this of theirs:
there must be room for them wherever a worker may put them."""

LISTS = 2
"""How many lists of entries the kernel keeps while it looks at a batch."""

MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Totals:
    """Counters of all workers: steps and new states of each instance, digests, terminal states, steps outside."""

    steps: tuple[int, ...]
    discovered: tuple[int, ...]
    state_digest: tuple[int, int] = (0, 0)
    step_digest: tuple[int, int] = (0, 0)
    terminal_states: int = 0
    left_constraint: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            tuple(a + b for a, b in zip(self.steps, other.steps, strict=True)),
            tuple(a + b for a, b in zip(self.discovered, other.discovered, strict=True)),
            _plus(self.state_digest, other.state_digest),
            _plus(self.step_digest, other.step_digest),
            self.terminal_states + other.terminal_states,
            self.left_constraint + other.left_constraint,
        )


def _plus(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return (a[0] + b[0]) & MASK, (a[1] + b[1]) & MASK


@dataclass(frozen=True)
class KernelFinding:
    """A finding of the kernel: which property or failure, the key that decided, the state's name, the instance."""

    slot: int
    key: tuple[int, int, int, int]
    name: int
    instance: int | None


class Worker:
    """One worker: its context and everything that it points to."""

    def __init__(
        self,
        code: SearchCode,
        kernel: MachineCode,
        number: int,
        of: int,
        tuning: Tuning,
        spill: Path | None,
        compacted: bool,
    ) -> None:
        words, given = code.words, code.constants
        context = self.context = Context()
        self.group = LANES if LANES * of * code.out_degree <= GROUPED else 1
        entries = self.group * code.out_degree + max(min(BUFFERED, BUFFERED_IN_ALL // of), LEAST_BUFFERED)
        self.in_flight = IN_FLIGHT * entries
        self.buffer = SuccessorBuffer(words, entries + self.in_flight)
        self._origins, self._lists = Words(ORIGIN_WORDS * (entries + 1)), Words(LISTS * (entries + 1))
        self.store = StateStore(kernel, context, words, self.in_flight, tuning, of, spill, compacted)
        self.steps = Words(len(given) + 1)
        self._discovered = Words(len(given) + 1), 0
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._count_discovered = kernel.function("count_discovered", None, pointer, word, word, pointer)
        self.occupancy, self.limits = Words(of), Words(of)
        self._constants = (ctypes.c_uint64 * (len(given) + 1))(*given, 0)  # none for initial states
        self._findings = Words(FINDING_WORDS * (FAILURE + 1))
        context["buffer"], context["buffer_entries"] = self.buffer.address, entries
        context["origins"], context["lists"] = self._origins.address, self._lists.address
        room = LANES * code.out_degree + LANES if self.group == LANES else 0
        self._columns = Words(COLUMNS_FROM + room * (words + 1))
        context["out_degree"], context["group"] = code.out_degree, self.group
        context["columns"], context["column_room"] = self._columns.address, room
        context["steps"] = self.steps.address
        context["constants"] = ctypes.addressof(self._constants)
        context["findings"] = self._findings.address
        context["worker"], context["workers"] = number, of
        context["occupancy"], context["limits"] = self.occupancy.address, self.limits.address
        context["index_bits"] = 32 - (of - 1).bit_length()

    def findings(self) -> list[KernelFinding]:
        """What has been found, and not been forgotten."""
        words, made = self._findings[:], []
        if not any(words):
            return []
        for slot in range(FAILURE + 1):
            present, *key, name, instance = words[slot * FINDING_WORDS : (slot + 1) * FINDING_WORDS]
            if present:
                k0, k1, k2, k3 = key
                made.append(KernelFinding(slot, (k0, k1, k2, k3), name, None if instance == NO_INSTANCE else instance))
        return made

    def forget_findings(self) -> None:
        """They have been taken over."""
        self._findings.clear()

    def count_discovered(self, adopted: bool) -> None:
        """Count the states of the level that has ended by the instances that led to them, but not if others did."""
        self._discovered = self._discovered[0] if adopted else self._discovered_by_now(), self.store.count

    def _discovered_by_now(self) -> Words:
        """How many states each instance has discovered, those of the level that has not ended among them.

        Of these a lesser step may be found later.
        """
        before, counted = self._discovered
        counts = Words(len(before[:]))
        counts.put(before[:])
        self._count_discovered(self.context.address, counted, self.store.count, counts.address)
        return counts

    def totals(self) -> Totals:
        """The counters of this worker."""
        context = self.context
        return Totals(
            self.steps[:],
            self._discovered_by_now()[:],
            (context["digest_low"], context["digest_high"]),
            (context["steps_low"], context["steps_high"]),
            context["terminal_states"],
            context["left_constraint"],
        )
