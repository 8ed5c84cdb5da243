"""Tables of the documentation whose figures are counts: they are searched again."""

from __future__ import annotations

import re

import pytest

from epochal.spec.kraft.generations import GENERATIONS, OLDER
from epochal.spec.kraft.heeded import TABLE as HEEDED
from epochal.spec.registry import REGISTRY
from tests.documents.harness import ROOT, typed

LARGE = (ROOT / "docs" / "large-state-spaces.md").read_text(encoding="utf-8")
CONTROLLERS = (ROOT / "docs" / "kafka" / "controllers.md").read_text(encoding="utf-8")


def test_the_table_of_sizes_is_true() -> None:
    """State counts and depths of KIP-320, those that are cheap."""
    rows = re.findall(r"^\| (\d)/(\d)/(\d)/(\d)[^|]*\| ([\d,]+) \| (\d+) \|$", LARGE, re.MULTILINE)
    assert len(rows) == 6
    for *bounds, states, depth in rows[:2]:
        names = ("--replicas", "--log-size", "--records", "--max-epoch")
        options = " ".join(f"{name} {value}" for name, value in zip(names, bounds, strict=True))
        code, output = typed(f"epochal check kip-320 {options}")
        assert code == 0
        assert f"{states} distinct" in output and f"depth {depth}" in output


def test_the_table_of_the_controllers_is_true() -> None:
    """State counts and depths at the default bounds, and the faulty protocols that the page names."""
    rows = re.findall(r"^\| `([a-z-]+)` \| ([\d,]+) \| (\d+) \| [\d.]+ \|$", CONTROLLERS, re.MULTILINE)
    assert [name for name, _, _ in rows] == [
        "quorum",
        "quorum-change-log",
        "quorum-reconfiguration",
        "quorum-snapshots",
        "zookeeper",
        "zookeeper-lost-disk",
        "zookeeper-alter-isr",
    ]
    for name, states, depth in rows:
        code, output = typed(f"epochal check {name}")
        assert code == 0
        assert f"{states} distinct" in output and f"depth {depth}" in output
    families = [name for name in REGISTRY if name.startswith(("quorum", "zookeeper")) and not name.endswith("-proof")]
    assert all(f"`{name}`" in CONTROLLERS for name in families)


def test_the_versions_and_their_protocols_are_true() -> None:
    """Which protocol models an older version, and which generations there are."""
    page = (ROOT / "docs" / "kafka" / "versions.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d., ]+) \| `([a-z0-9-]+)` \|", page, re.MULTILINE)
    assert {version: protocol for versions, protocol in rows for version in versions.split(", ")} == OLDER
    assert re.findall(r"^\| (G\d) \|", page, re.MULTILINE) == list(GENERATIONS)


def test_since_when_a_setting_is_heeded_is_true() -> None:
    """The page of the audit has the table that decides it, source by source."""
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `([a-z.]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)
    cells = [
        tuple(f"{since.release or 'never'} ({since.source})" for since in (row.kraft, row.zookeeper)) for row in HEEDED
    ]
    wanted = [(row.setting, row.does, *said) for row, said in zip(HEEDED, cells, strict=True)]
    assert [row for row in shown if row[0] in {one.setting for one in HEEDED}] == wanted


@pytest.mark.long
@pytest.mark.parametrize("name", ["kip-320-first-try", "kip-320-m1", "kip-320-m3"])
def test_bounds_matter(name: str) -> None:
    """The faulty variants that look correct with two replicas, and with two epochs, and fail with three of each."""
    assert f"`{name}`" in (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    codes = [typed(f"epochal check {name} {bounds}")[0] for bounds in ("--replicas 2", "--max-epoch 1", "")]
    assert codes == [0, 0, 12]
