"""The memory that control groups leave: of both versions, of groups above one's own, and where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.checker.base import machine as control_groups
from epochal.checker.base.machine import memory_limit, memory_of_control_groups
from epochal.checker.doctor import examined
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from tests.checker.search.models import small_faulty

UNLIMITED = "9223372036854771712"
"""What version 1 says instead of "max"."""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system without control groups."""
    monkeypatch.setattr(control_groups, "MEMBERSHIP", tmp_path / "membership")
    monkeypatch.setattr(control_groups, "MOUNT", tmp_path / "mount")
    return tmp_path


def grouped(system: Path, membership: str, **limits: str) -> None:
    """Put the process into these groups; limits by path, with `__` for `/`."""
    (system / "membership").write_text(membership)
    for name, limit in limits.items():
        file = system / "mount" / name.replace("__", "/").replace("_max", ".max").replace("_limit", ".limit")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{limit}\n")


@pytest.mark.parametrize(
    ("membership", "limits", "least"),
    [
        ("0::/\n", {"memory_max": "1000"}, 1000),
        ("0::/\n", {"memory_max": "max"}, None),
        ("0::/\n", {"memory_max": "0"}, 0),
        ("0::/\n", {"memory_max": ""}, None),
        ("0::/\n", {}, None),
        ("0::/a/b\n", {"a__b__memory_max": "1000"}, 1000),
        ("0::/a/b\n", {"a__b__memory_max": "max", "a__memory_max": "900"}, 900),
        ("0::/a/b\n", {"a__b__memory_max": "1000", "a__memory_max": "2000", "memory_max": "3000"}, 1000),
        ("0::/a\n", {"b__memory_max": "10"}, None),
        ("0::/outside/of/it\n", {"memory_max": "1000"}, 1000),
        ("0::/../other\n", {"memory_max": "1000"}, 1000),
        ("5:cpu:/a\n4:memory:/a\n", {"memory__a__memory_limit_in_bytes": "700"}, 700),
        ("4:cpu,memory:/a\n", {"memory__a__memory_limit_in_bytes": UNLIMITED, "memory__memory_limit_in_bytes": "5"}, 5),
        ("4:memory:/a\n0::/b\n", {"memory__a__memory_limit_in_bytes": "700", "b__memory_max": "600"}, 600),
        ("nonsense\n\n:::\n", {"memory_max": "1000"}, 1000),
    ],
)
def test_the_least_limit(system: Path, membership: str, limits: dict[str, str], least: int | None) -> None:
    grouped(system, membership, **limits)
    assert memory_of_control_groups() == least


def test_without_control_groups(system: Path) -> None:
    assert memory_of_control_groups() is None
    whole = memory_limit()
    grouped(system, "4:memory:/\n", memory__memory_limit_in_bytes=UNLIMITED)
    assert memory_limit() == whole > 1 << 20
    assert not any("limit of the container" in one.found for one in examined())


def test_a_limit_below_what_is_used(system: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ends the search at once, with what it needs, and not by the system's hand."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))  # so that it is compiled
    grouped(system, "0::/service\n", service__memory_max=str(1 << 20))
    assert memory_limit() == (1 << 20) // 10 * 9
    result = breadth_first.check(small_faulty(), Options())
    assert (result.exit_code, result.limit) == (30, "memory")
    assert result.cut.startswith("stopped at 90 % of this machine's memory (0 MiB) while compiling")
    (memory,) = (one for one in examined() if one.subject == "memory")
    assert not memory.ok and memory.found.startswith("1.0 MiB of ") and "limit of the container" in memory.found
