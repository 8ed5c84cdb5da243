"""Expanding states, in the search of one worker alone: a batch of their successors at a time.

First the successors of some states are written, one state after the other; then loops without unpredictable branches
go over all of them. How many successors a state has cannot be predicted, so each branch on it would be dear.
"""

from __future__ import annotations

from .evaluate import Evaluation
from .flight import IN_FLIGHT, Flight
from .gather import Batch
from .variants import Variant
from .vocabulary import KernelText


def expand_text(words: int, symmetric: bool) -> str:
    """`expand(context)`: alone, expand the frontier from the cursor to its end, or that of the quantum or capacity."""
    k = KernelText("void @expand(ptr noalias %context)", words)
    evaluation, flight = Evaluation(k), Flight(k, Variant.ALONE)
    batch = Batch(k, Variant.ALONE, flight, symmetric)
    with k.loop() as (_, done):
        end = k.umin(k.number("level_end"), k.number("stop_at"))
        k.jump_if(k.uge(k.number("cursor"), end), done)
        needed = k.add(k.number("count"), k.mul(k.number("buffer_entries"), IN_FLIGHT))
        k.jump_if(k.ugt(needed, k.number("capacity")), done)
        batch.begin()
        with k.loop() as (_, full):
            cursor = k.number("cursor")
            k.jump_if(k.uge(cursor, end), full)
            k.jump_if(batch.full(), full)
            taken = batch.add(k.record(cursor), k.own_name(cursor), k.sub(end, cursor))
            k.set_number("cursor", k.add(cursor, taken))
        batch.send()
        evaluation.go_on()
    flight.land()
    evaluation.finish()
    k.ret()
    return k.text()
