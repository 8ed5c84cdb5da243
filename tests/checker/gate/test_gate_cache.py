"""The gate and its cache: shared by several runs, damaged, or holding what belongs to other rules."""

from __future__ import annotations

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor

from tests.checker.gate.conftest import SHOWING, UNFENCED, Repository


def test_runs_at_the_same_time_share_one_cache(kip_320: Repository) -> None:
    kip_320.write("mine.py", UNFENCED)
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: kip_320.epochal("gate", "--format", "json"), range(4)))
    assert {one.returncode for one in done} == {20}
    records = [json.loads(one.stdout)["models"][0]["record"] for one in done]
    assert all(record == records[0] for record in records)
    assert not list(kip_320.cache.rglob("*.tmp"))
    shown = kip_320.epochal("cache", "show").stdout
    assert "2 results" in shown and "7,891" in shown


def test_a_damaged_entry_of_the_cache_counts_as_missing(kip_320: Repository) -> None:
    (entry,) = (kip_320.cache / "results").glob("record-*.json")
    whole = entry.read_bytes()
    damaged = whole.replace(b'"distinct_states": 6787', b'"distinct_states": 6788')
    assert damaged != whole
    entry.write_bytes(damaged)
    done = kip_320.epochal("gate", "--format", "json")
    model = json.loads(done.stdout)["models"][0]
    assert (done.returncode, model["source"], model["record"]["distinct_states"]) == (0, "search", 6787)
    assert done.stderr.startswith(f"epochal: warning: the cache {kip_320.cache} has entries that are damaged, or of")
    assert done.stderr.count("warning") == 1
    assert entry.read_bytes() == whole
    entry.write_bytes(whole[:100])
    assert kip_320.gate(expect=0)["models"][0]["source"] == "search"
    assert kip_320.gate(expect=0)["models"][0]["source"] == "cache"
    cleared = kip_320.epochal("cache", "clear")
    assert cleared.returncode == 0 and "removed" in cleared.stdout
    assert "0 results" in kip_320.epochal("cache", "show").stdout
    assert kip_320.gate(expect=0)["models"][0]["source"] == "search"


def test_damaged_rules_in_the_cache_are_kept_again(kip_320: Repository) -> None:
    """They are not only read: whether they are there decides whether they are written."""
    (entry,) = (kip_320.cache / "results").glob("rules-*.json")
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    kip_320.gate(expect=0)
    assert entry.read_bytes() == whole


def test_a_record_of_other_rules_in_the_cache_is_not_believed(kip_320: Repository) -> None:
    """Copied over that of rules which violate a property: the gate searches, finds it, and records nothing false."""
    (sound,) = (kip_320.cache / "results").glob("record-*.json")
    kip_320.model(SHOWING)
    kip_320.write("mine.py", UNFENCED)
    assert kip_320.gate(expect=12)["models"][0]["source"] == "search"
    (faulty,) = set((kip_320.cache / "results").glob("record-*.json")) - {sound}
    shutil.copy(sound, faulty)
    again = kip_320.epochal("gate", "--format", "json")
    assert (again.returncode, json.loads(again.stdout)["models"][0]["source"]) == (12, "search")
    assert "has entries that are damaged, or of another user" in again.stderr
    shutil.copy(sound, faulty)
    before = (kip_320.path / "epochal.lock.json").read_bytes()
    done = kip_320.epochal("baseline", "update", "--reason", "as it is")
    assert done.returncode == 12
    assert "strong_isr is violated" in done.stderr
    assert (kip_320.path / "epochal.lock.json").read_bytes() == before


def test_an_unchanged_model_answers_in_under_a_second(kip_320: Repository) -> None:
    """Processor time, because the machine may be busy with other things."""
    kip_320.gate(expect=0)
    before = os.times()
    start = time.monotonic()
    assert kip_320.epochal("gate").returncode == 0
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert min(used, time.monotonic() - start) < 1.0
