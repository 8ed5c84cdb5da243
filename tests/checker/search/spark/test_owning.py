"""Who owns a state: bits of it that few steps change, chosen once, and a log that is walked back all the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.model import Model
from epochal.checker.search.result import Options
from epochal.checker.search.spark.driver import Cluster, check
from epochal.checker.search.spark.errors import LogDamaged
from epochal.checker.search.spark.log import Manifest, read_log
from epochal.checker.search.spark.memory import in_memory
from epochal.checker.search.spark.owner import Owner
from epochal.checker.search.spark.owning import chosen, owner_of, owners_of, whole
from epochal.checker.search.spark.program import loaded, make_program
from epochal.checker.search.spark.storage import Storage
from epochal.checker.search.spark.tasks import Job, _rebuild
from epochal.checker.search.spark.walk import Came, Walker
from epochal.spec.language import Integers, Protocol, action, require
from tests.checker.search.models import classic
from tests.checker.search.spark.comparison import same_as_native
from tests.checker.search.spark.in_process import in_process, twice
from tests.checker.search.spark.test_exchange import Removes
from tests.checker.search.spark.test_spark_damage import manifest_of
from tests.checker.search.spark.test_spark_faults import Leaves, Stop

EVERYTHING = Options(all_violations=True)
PROTOCOL = classic("kip-279", 3, 1, 1, 1)


@pytest.fixture
def local(cluster: Cluster) -> Cluster:
    """Tasks in this process, from a level on that has enough states to choose by."""
    return replace(cluster, start=in_process, threshold=100)


def by_some_bits(manifest: Manifest) -> bool:
    """Whether a run has chosen; the other tests of this folder have all bits."""
    model = compile_protocol(PROTOCOL)
    return manifest.owning not in ((), whole(model.layout.words))


def test_states_are_where_their_bits_say(local: Cluster) -> None:
    """And each names the partition that has the state before it."""
    same_as_native(check(PROTOCOL, EVERYTHING, local), PROTOCOL, EVERYTHING)
    manifest, storage = manifest_of(local), Storage(local.storage)
    assert by_some_bits(manifest)
    model = compile_protocol(PROTOCOL)
    walker = Walker(model, make_program(model), storage, manifest)
    elsewhere = 0
    for number, level in enumerate(manifest.levels):
        for file in level.written if level.shards > 1 else ():
            states = read_log(storage, file)
            for at in range(states.count):
                words = walker.state(states, at)
                assert owner_of(manifest.owning, words, level.shards) == file.partition
                came, place = walker.reached(states, at)
                before = walker.before(number - 1, came, walker.instance(place), words)[0]
                if manifest.levels[number - 1].shards > 1:
                    assert came == Came(came.hash, owner_of(manifest.owning, before, level.shards))
                elsewhere += came.partition != file.partition
    assert 0 < elsewhere < manifest.states / 2, "most steps stay in their partition"


def test_a_run_keeps_to_what_was_chosen(local: Cluster, tmp_path: Path) -> None:
    """Also when another sample would say otherwise, and with tables that are made from the log."""
    leaves = Leaves("after manifest", 12, tmp_path / "mark")
    with pytest.raises(Stop):
        check(PROTOCOL, EVERYTHING, replace(local, hook=leaves))
    before = manifest_of(local)
    assert by_some_bits(before) and before.levels[-1].shards > 1
    resumed = replace(local, resume=True, start=twice)
    same_as_native(check(PROTOCOL, EVERYTHING, resumed), PROTOCOL, EVERYTHING)
    assert manifest_of(local).owning == before.owning


def test_an_exchange_that_is_lost(local: Cluster, tmp_path: Path) -> None:
    """The level is expanded again from the log, by the same bits."""
    fault = Removes("after manifest", 12, tmp_path / "mark")
    same_as_native(check(PROTOCOL, EVERYTHING, replace(local, hook=fault)), PROTOCOL, EVERYTHING)
    assert fault.happened and by_some_bits(manifest_of(local))


def test_many_at_once_are_owned_as_one_by_one() -> None:
    """By the definition of the digest, whatever the number of words."""
    some = random.Random(1)
    for words in range(1, 6):
        rows = [[some.getrandbits(64) for _ in range(words)] for _ in range(50)] + [[0] * words, list(whole(words))]
        for bits in (whole(words), tuple(some.getrandbits(64) for _ in range(words))):
            found = owners_of(bits, np.array(rows, np.uint64), 37).tolist()
            assert found == [owner_of(bits, row, 37) for row in rows]


# -- what is chosen -----------------------------------------------------------------------------------------------


class Clock(Protocol):
    """Two hands: the slow one moves when the fast one has come around, and there are many kinds of clocks."""

    kind: Annotated[int, Integers(0, 1023)]
    slow: Annotated[int, Integers(0, 7)]
    fast: Annotated[int, Integers(0, 15)]

    @action
    def tick(self) -> None:
        """Move."""
        require(self.slow < 7)
        if self.fast < 15:
            self.fast += 1
        else:
            self.fast = 0
            self.slow += 1


def bits_of(model: Model, states: Sequence[tuple[int, ...]]) -> list[bool]:
    """Which leaves are gone by, for a sample of states and four partitions."""
    packed = np.array([model.layout.pack(state) for state in states], np.uint64)
    found = chosen(loaded(make_program(model)), model.layout, packed, len(states), 4)
    return [bool(found[field.word] & field.mask) for field in model.layout.fields]


def test_the_slowest_fields_that_spread_states_are_taken() -> None:
    """One that no step changes, if there is one; else one that few do; and all of them where nothing is spared."""
    model = compile_protocol(Clock())
    hands = [(slow, fast) for slow in range(8) for fast in range(16)]
    assert bits_of(model, [(kind, *hands[kind % 128]) for kind in range(1024)]) == [True, False, False]
    assert bits_of(model, [(0, *hand) for hand in hands] * 4) == [True, True, True], "eight values do not spread"
    assert bits_of(model, [(0, 0, fast) for fast in range(16)]) == [True, True, True], "every step leads elsewhere"
    assert bits_of(model, [(0, 0, 0)]) == [True, True, True], "nothing is known"


def test_a_table_that_is_made_again_must_have_what_the_log_has(local: Cluster) -> None:
    """States that belong elsewhere, and the manifest of a driver that has chosen otherwise, are noticed."""
    check(PROTOCOL, EVERYTHING, local)
    manifest, storage = manifest_of(local), Storage(local.storage)
    program = make_program(compile_protocol(PROTOCOL))
    right = manifest.owning or whole(program.words)
    wrong = tuple(~bits & (1 << 64) - 1 for bits in right)
    facts = manifest.run, storage, lambda: program, manifest.levels, manifest.shards, right, 0, local.cache
    job = Job(*facts, head=manifest.heads[-1])
    for owning in (right, wrong):
        owner = Owner(loaded(program), 0, manifest.shards, owning, in_memory)
        if owning is right:
            _rebuild(owner, job, manifest.levels, 0)
        else:
            with pytest.raises(LogDamaged, match=r"new states of partition 0 in the log instead of"):
                _rebuild(owner, job, manifest.levels, 0)
        owner.close()
    assert job.slim().all_levels() == manifest.levels
