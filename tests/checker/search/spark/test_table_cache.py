"""Owner tables on a worker's disk: what is not exactly what the last attempt left is not found."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from epochal.checker.search.spark.errors import ClusterError
from epochal.checker.search.spark.owner import HEAD, ClaimedTable, TableCache, TableSize, _checksum, _system

SIZE = TableSize(5, 3, 4096, 4096, 8192)


@pytest.fixture
def tables(tmp_path: Path) -> TableCache:
    """The caches of a run, with the table that the attempt "first" has left of partition 3."""
    found = TableCache(tmp_path / "base" / "run")
    found.make(3, "first").close(SIZE, 3, "first")
    return found


def head(tables: TableCache) -> Path:
    """The file that says what the table of the attempt "first" is."""
    return tables.folder / "3-first" / HEAD


def claimed(tables: TableCache) -> ClaimedTable | None:
    return tables.claim(3, "first", "second")


def test_a_table_is_claimed_once(tables: TableCache) -> None:
    found = claimed(tables)
    assert found is not None and found.size == SIZE
    assert claimed(tables) is None
    assert tables.folder.parent.stat().st_mode & 0o777 == 0o700


def test_every_flipped_bit_of_its_head_is_a_miss(tables: TableCache) -> None:
    whole = head(tables).read_bytes()
    assert json.loads(whole[16:])["count"] == 5
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        head(tables).write_bytes(changed)
        assert claimed(tables) is None
        assert list(tables.folder.iterdir()) == [], "it is not tried again"
        tables.make(3, "first").close(SIZE, 3, "first")
    assert claimed(tables) is not None


def test_a_table_of_another_boot_is_a_miss(tables: TableCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epochal.checker.search.spark.owner._system", lambda: "another")
    assert claimed(tables) is None


def test_a_table_of_another_version_is_a_miss(tables: TableCache) -> None:
    """Its head says less than this one asks."""
    text = json.dumps({"count": 5, "capacity": 4096, "slots": 8192, "system": _system()}).encode()
    head(tables).write_bytes(_checksum(text) + text)
    assert claimed(tables) is None


def test_a_folder_that_others_can_write_to_is_refused(tables: TableCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name can be guessed, so somebody else may have made it first."""
    base = tables.folder.parent
    base.chmod(0o777)
    uses: list[Callable[[], object]] = [lambda: claimed(tables), lambda: tables.make(3, "third")]
    for use in uses:
        with pytest.raises(ClusterError) as refused:
            use()
        assert str(refused.value) == (
            f"the folder for tables, {base}, can be written by others (mode 777): remove it there, or name another on "
            "every worker with --conf spark.epochal.cacheDir=DIR"
        )
    base.chmod(0o700)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(ClusterError, match=rf"belongs to another user \({owner}\)"):
        tables.make(3, "third")
