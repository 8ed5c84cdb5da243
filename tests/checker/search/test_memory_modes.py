"""States in files and fingerprints instead of states: the same result, and what it costs."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from epochal.checker.native.kernel import written
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.trace.replay import replay
from epochal.spec.language import Protocol
from tests.checker.search.models import classic, middling, small_faulty
from tests.checker.search.test_workers import everything

PROTOCOLS = pytest.mark.parametrize(
    "protocol", [small_faulty(), middling(), classic("kip-101", 3, 1, 1, 1)], ids=lambda protocol: protocol.name
)


@PROTOCOLS
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("compact", [False, True], ids=["spilled", "compact"])
def test_the_same_result(protocol: Protocol, workers: int, compact: bool, tmp_path: Path) -> None:
    """Figures, digests and traces do not depend on where the states are."""
    expected = breadth_first.check(protocol, Options(all_violations=True, workers=1))
    options = Options(all_violations=True, workers=workers, spill=tmp_path, compact=compact)
    tuning = Tuning(share_from=300, first_slots=1 << 10, first_records=64)
    result = breadth_first.check(protocol, options, tuning=tuning)
    assert everything(result) == everything(expected)
    assert result.state_file_bytes > 0 and list(tmp_path.iterdir()) == []
    traces = [p.trace for p in result.properties if p.trace is not None]
    assert traces and all(replay(trace, [PythonSemantics(protocol)]).ok for trace in traces)


def test_what_a_compact_state_costs(tmp_path: Path) -> None:
    """At most 14 bytes of memory a state, once the tables are as large as the search needs them."""
    options = Options(spill=tmp_path, compact=True, workers=1)
    result = breadth_first.check(classic("kip-320", 3, 2, 2, 2), options, tuning=Tuning(first_slots=1 << 12))
    assert result.distinct_states == 737_794
    assert result.state_memory_bytes <= 14 * result.distinct_states
    n = result.distinct_states
    assert result.collision_probability == pytest.approx(n * n / 2**65, rel=1e-3)


def test_fingerprints_that_collide_lose_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fingerprints are what decides: with a hash of few bits, states are missed, and not in exact mode."""
    protocol, whole = middling(), written.text_of("search")
    few = r"\1  %few = or i64 \2, 1099511627775\n  ret i64 %few"
    poor = re.sub(r"(define internal i64 @fingerprint\(.*?)  ret i64 (%\d+)", few, whole, count=1, flags=re.DOTALL)
    monkeypatch.setattr(written, "text_of", lambda _: poor)
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    compact = breadth_first.check(protocol, Options(spill=tmp_path, compact=True, workers=1))
    exact = breadth_first.check(protocol, Options(workers=1))
    assert compact.distinct_states < exact.distinct_states == 39_619


def test_a_full_disk_ends_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Room in files is taken before it is used, so a full disk is an error, and what is known is reported."""

    def full(handle: int, offset: int, length: int) -> None:
        if length > 1 << 20:
            raise OSError(28, "No space left on device")
        os.ftruncate(handle, offset + length)

    monkeypatch.setattr(os, "posix_fallocate", full)
    tuning = Tuning(first_records=1 << 12)
    result = breadth_first.check(classic("kip-320", 3, 2, 2, 2), Options(spill=tmp_path), tuning=tuning)
    assert "No space left on device" in result.cut and str(tmp_path) in result.cut
    assert result.exit_code == 153 and result.distinct_states > 1_000
