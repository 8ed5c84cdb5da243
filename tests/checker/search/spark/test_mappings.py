"""Mapped files that a process keeps: what is used again is the same file, as it is now."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from epochal.checker.search.spark import memory
from epochal.checker.search.spark.memory import ALL, OF_ONE_TABLE, FileBlock, Mappings

SIZE = 1 << 14


@pytest.fixture
def mappings(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mappings]:
    """Those of this process, for a test."""
    made = Mappings()
    monkeypatch.setattr(memory, "MAPPINGS", made)
    yield made
    made.tidy(0)
    assert len(made) == 0


def descriptors() -> int:
    """How many files this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def written(path: Path, content: bytes) -> int:
    """Write to a block, and close it; where it was mapped."""
    block = FileBlock(path, SIZE, new=not path.exists())
    address = block.address
    block._map[: len(content)] = content
    block.close()
    return address


def read(path: Path, size: int = 5) -> bytes:
    """The beginning of a block."""
    block = FileBlock(path, SIZE, new=False)
    found = bytes(block._map[:size])
    block.close()
    return found


def test_a_mapping_is_used_again(mappings: Mappings, tmp_path: Path) -> None:
    """Also when the file has another name by then, as the tables of every level have."""
    address = written(tmp_path / "one", b"first")
    before = descriptors()
    (tmp_path / "one").rename(tmp_path / "two")
    block = FileBlock(tmp_path / "two", SIZE, new=False)
    assert block.address == address and bytes(block._map[:5]) == b"first" and len(mappings) == 0
    block.close()
    assert descriptors() == before and len(mappings) == 1


def test_another_file_of_the_same_name_is_another_file(mappings: Mappings, tmp_path: Path) -> None:
    """Its inode is not that of the file before, even if that is gone: the descriptor that is kept keeps it."""
    written(tmp_path / "table", b"first")
    for number in range(20):
        (tmp_path / "table").unlink()
        made = FileBlock(tmp_path / "table", SIZE, new=True)
        assert bytes(made._map[:]) == bytes(SIZE)
        made.close()
        written(tmp_path / "table", b"%05d" % number)
        assert read(tmp_path / "table") == b"%05d" % number


def test_a_file_that_another_process_made_larger_is_mapped_anew(mappings: Mappings, tmp_path: Path) -> None:
    """All of it."""
    written(tmp_path / "table", b"first")
    with (tmp_path / "table").open("r+b") as file:
        file.truncate(4 * SIZE)
        file.seek(3 * SIZE)
        file.write(b"there")
    block = FileBlock(tmp_path / "table", SIZE, new=False)
    assert len(block._map) == 4 * SIZE and bytes(block._map[3 * SIZE : 3 * SIZE + 5]) == b"there"
    block.close()


def test_a_file_that_is_shorter_is_mapped_anew(mappings: Mappings, tmp_path: Path) -> None:
    """Beyond its end there is no memory: touching it would end the process."""
    block = FileBlock(tmp_path / "table", SIZE, new=True)
    block.grow(4 * SIZE)
    block._map[:5] = b"first"
    block.close()
    os.truncate(tmp_path / "table", SIZE)
    block = FileBlock(tmp_path / "table", SIZE, new=False)
    assert len(block._map) == SIZE and bytes(block._map[:5]) == b"first"
    block.close()


def test_a_block_that_is_missing_or_too_short_is_not_made(mappings: Mappings, tmp_path: Path) -> None:
    """Nothing is made in its place, and no zeros are put where something was."""
    before = descriptors()
    with pytest.raises(FileNotFoundError):
        FileBlock(tmp_path / "table", SIZE, new=False)
    assert not (tmp_path / "table").exists()
    (tmp_path / "table").write_bytes(b"short")
    with pytest.raises(ValueError, match="table has 5 bytes instead of 16,384"):
        FileBlock(tmp_path / "table", SIZE, new=False)
    with pytest.raises(FileExistsError):
        FileBlock(tmp_path / "table", SIZE, new=True)
    assert (tmp_path / "table").read_bytes() == b"short" and descriptors() == before


def test_a_block_that_has_grown_is_kept(mappings: Mappings, tmp_path: Path) -> None:
    block = FileBlock(tmp_path / "table", SIZE, new=True)
    block.grow(8 * SIZE)
    block._map[7 * SIZE] = 9
    address = block.address
    block.close()
    again = FileBlock(tmp_path / "table", SIZE, new=False)
    assert again.address == address and again._map[7 * SIZE] == 9
    again.close()


def test_what_is_gone_is_let_go(mappings: Mappings, tmp_path: Path) -> None:
    """Its place on the disk is free then; and beyond the last table nothing is kept where that would be counted."""
    before = descriptors()
    for number in range(8):
        written(tmp_path / f"{number}", b"first")
    assert len(mappings) == 8
    (tmp_path / "7").unlink()
    mappings.tidy(ALL)
    assert len(mappings) == 7
    mappings.tidy(OF_ONE_TABLE)
    assert len(mappings) == OF_ONE_TABLE and descriptors() == before + 2 * OF_ONE_TABLE
    address = written(tmp_path / "6", b"again")
    assert address == written(tmp_path / "6", b"again"), "the last ones are kept"
