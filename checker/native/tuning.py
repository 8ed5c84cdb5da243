"""What a search is tuned with. The defaults were measured; tests pass others to reach in a moment what takes hours."""

from __future__ import annotations

from dataclasses import dataclass

from ..crosscheck.cross_check import LONGEST, SHARE


@dataclass(frozen=True)
class Tuning:
    """Sizes and times at which a search changes what it does.

    A search is begun by one worker; from `share_from` states on two of them take part, and more from up to four
    times as many on, since each needs a memory of its own first. Each expands `quantum` states
    before anybody looks at the budgets, up to `longest_quantum` when a search is large: not by the clock, so that a
    budget of states ends a search of one worker at the same place every time.

    Better code is compiled after `optimise_after` seconds of searching, and `optimise_after_each` for each byte of its
    text: a megabyte takes LLVM some two seconds, which a search that ends before has no use for. LLVM's passes take
    five seconds for a megabyte and gain a fifth: they begin `optimise_thoroughly_after_each` seconds for each byte.
    Code that takes the steps of eight states gains a quarter. For each megabyte of the program's text it takes the
    search a tenth of a second to write, and LLVM beside it nearly one: it is begun after `write_eight_after_each`
    seconds for each byte, when the search has taken as long as that takes.

    Properties are evaluated on eight states at once, and steps taken, if that is faster on `tried_on` states of the
    search, once there are `eight_from`; `eight` says that it is done always, or never.

    A worker begins with room for `first_records`, and the visited table with `first_slots`, which is shared out; up to
    `early_slots` it grows in few steps, and is the emptier and faster for it: memory is no concern yet. A table that
    grows is moved `swept_slots` at a time. A worker has at most `record_limit` records, or its share of them: the lower
    half of a slot holds a record's number plus one. Several workers must at least have room for `slack` states: when
    one has to stop for room, all do. `redistributed_at_once` records are handed to another worker at a time.

    A checkpoint is written at the end of a level if the last one is at least `checkpoint_seconds` old. Of up to
    `drawn_by_place` states the cross-check's sample is drawn by their place: one worker has found them, in the same
    order every time. It takes the time of the search divided by `cross_check_share`, and at most
    `cross_check_seconds`.

    The Python engine looks at the budgets after `reference_states` states, or after `reference_steps` steps tried if
    there are very many instances.
    """

    share_from: int = 1 << 14
    quantum: int = 1 << 15
    longest_quantum: int = 1 << 17
    optimise_after: float = 0.1
    optimise_after_each: float = 0.5e-6
    optimise_thoroughly_after_each: float = 10e-6
    write_eight_after_each: float = 1e-6
    eight: bool | None = None
    eight_from: int = 1 << 11
    tried_on: int = 1 << 9
    first_records: int = 1 << 16
    first_slots: int = 1 << 21
    early_slots: int = 1 << 23
    swept_slots: int = 1 << 15
    record_limit: int = (1 << 32) - 2
    slack: int = 1 << 14
    redistributed_at_once: int = 1 << 14
    checkpoint_seconds: float = 1.0
    drawn_by_place: int = 1 << 14
    cross_check_share: float = SHARE
    cross_check_seconds: float = LONGEST
    reference_states: int = 64
    reference_steps: int = 20_000

    def shared_from(self, workers: int) -> int:
        """From how many states on so many workers share a search."""
        return self.share_from * min(max(workers // 2, 1), 4)


TUNING = Tuning()
"""How searches are tuned unless somebody says otherwise."""
