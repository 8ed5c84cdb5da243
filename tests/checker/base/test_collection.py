"""Garbage of one search after another: the collector runs only while what there was is out of its sight."""

from __future__ import annotations

import gc
import sys

import pytest

from epochal.checker.base import machine
from epochal.checker.base.machine import outside_collection, without_collection


class Cell:
    """Something that holds itself: only the collector frees it."""

    def __init__(self) -> None:
        self.other = self


def search() -> None:
    """What a search does: it makes a graph, and goes on with it out of sight."""
    with without_collection():
        graph = [Cell() for _ in range(20_000)]
    with outside_collection():
        assert len(graph) == 20_000


def test_a_process_with_many_searches_does_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.unfreeze()
    gc.collect()
    monkeypatch.setattr(machine, "_LEFT", [0])
    monkeypatch.setattr(machine, "MUCH", 100_000 - sys.getallocatedblocks())  # beside what other tests have left
    for _ in range(20):
        search()
    assert sum(type(one) is Cell for one in gc.get_objects()) < 200_000, "400,000 were made"


def test_what_was_frozen_before_stays_so() -> None:
    gc.freeze()
    try:
        count = gc.get_freeze_count()
        search()
        assert gc.get_freeze_count() >= count
    finally:
        gc.unfreeze()
