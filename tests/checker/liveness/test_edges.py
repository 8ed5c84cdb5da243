"""Every step made again: with code for eight states, the edges are those that each state alone has."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import pytest

from epochal.checker.base.machine import Stopwatch
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.liveness.native import NativeGraph
from epochal.checker.native.engine import NativeModel, load_kernel
from epochal.checker.native.kernel.kernel import Shape
from epochal.checker.native.llvm.jit import Compiler
from epochal.checker.native.tuning import Tuning
from epochal.checker.search.budget import Budget, Deadline
from epochal.checker.search.native import NativeSearch
from epochal.checker.search.result import Options
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.language import Protocol


def edges(protocol: Protocol, tuning: Tuning, workers: int, folder: Path | None) -> set[tuple[tuple[int, ...], ...]]:
    """Of every state, the words: then the label of each step and the words that it leads to, in their order."""
    compiler, options = Compiler(), Options(workers=workers, all_violations=True)
    model = compile_protocol(protocol)
    shape = Shape(model.layout.words, bool(protocol.members("constraint")))
    search = NativeSearch(NativeModel(model, compiler), load_kernel(compiler, shape), options, None, tuning)
    try:
        assert search.explore(Budget(options, Stopwatch(), Deadline(None, None, None, None))) is None
        assert all(bool(worker.context["eight_steps"]) == bool(tuning.eight) for worker in search.pool.workers)
        graph = NativeGraph(search.native, search.pool, search.run_to, lambda _: "")
        graph.arrays.folder = folder
        try:
            graph.make_edges(lambda: None)
            assert not graph.arrays["missing"]
            return set(map(tuple, _edges(graph)))
        finally:
            graph.close()
    finally:
        search.close()


def _edges(graph: NativeGraph) -> list[list[tuple[int, ...]]]:
    def all_of(array: str, kind: type[ctypes._SimpleCData[int]], count: int) -> list[int]:
        return list((kind * count).from_address(graph.arrays[array]))

    offsets = all_of("offsets", ctypes.c_uint64, graph.states + 1)
    labels, targets = all_of("labels", ctypes.c_uint16, offsets[-1]), all_of("targets", ctypes.c_uint32, offsets[-1])
    words = {state: tuple(graph.words(state)) for state in range(graph.states) if state not in graph.gaps}
    return [
        [words[state], *((labels[i], *words[targets[i]]) for i in range(offsets[state], offsets[state + 1]))]
        for state in words
    ]


@cache
def edges_alone(protocol: Protocol) -> set[tuple[tuple[int, ...], ...]]:
    """The edges that each state has alone, which both cases of a protocol are held against."""
    return edges(protocol, Tuning(eight=False), 1, None)


@pytest.mark.parametrize(("workers", "in_files"), [(1, False), (2, True)])
@pytest.mark.parametrize("protocol", [Kip320(replicas=2), KraftBalancing(brokers=2)], ids=["kip-320", "balancing"])
def test_the_same_edges(protocol: Protocol, workers: int, in_files: bool, tmp_path: Path) -> None:
    folder = tmp_path if in_files else None
    alone = edges_alone(protocol)
    assert len(alone) > 100 and any(len(one) > 2 for one in alone)
    assert edges(protocol, Tuning(eight=True, share_from=50), workers, folder) == alone
