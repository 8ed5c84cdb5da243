"""How entries are packed for a remote storage: what is unpacked is what was packed, or nothing."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.checker.native.kernel.kernel import superstep_text
from epochal.checker.search.spark import owner
from epochal.checker.search.spark import tasks as module
from epochal.checker.search.spark.owner import ALL, OF_ONE_TABLE, FileBlock, Mappings
from epochal.checker.search.spark.program import Loaded
from epochal.checker.search.spark.storage import Storage
from epochal.checker.search.spark.tasks import ExchangeLost, Outbox, Packing, Reader, Stretch, Unpackable, packing_for
from tests.checker.native.machines import compilers

WIDTHS = (1, 2, 3, 5, 8)
MASK = (1 << 64) - 1
Entry = tuple[int, ...]
"""The words of a state, the instance, the hash before."""

LEVELS = {"plain": (0, False), "optimised": (3, True)}


class Code:
    """What a packing needs of a program for states of so many words."""

    def __init__(self, words: int, machine: str, level: str) -> None:
        compiler = compilers()[machine]
        self.kernel = compiler.load(compiler.compile(superstep_text(words, False), *LEVELS[level]))
        arguments = None, *[ctypes.c_void_p] * 3, ctypes.c_uint64
        self.to_columns = self.kernel.function("to_columns", *arguments)
        self.to_records = self.kernel.function("to_records", *arguments)
        self.program = SimpleNamespace(words=words)


@cache
def packing(words: int, machine: str = "all", level: str = "optimised") -> Packing:
    """A packing for states of so many words, by the code of a kind of this processor."""
    return Packing(cast(Loaded, Code(words, machine, level)))


def rows(entries: list[Entry]) -> memoryview:
    """Entries as they lie in memory."""
    flat = [word for entry in entries for word in entry]
    return memoryview((ctypes.c_uint64 * len(flat))(*flat)).cast("B")


def packed(pack: Packing, entries: list[Entry]) -> bytearray:
    """What is written of some entries."""
    hashes, columns = pack.pack(rows(entries))
    return bytearray(hashes) + columns


def unpacked(pack: Packing, content: bytearray, count: int) -> bytes:
    """What so many entries are in memory again."""
    return ctypes.string_at(pack.unpack(memoryview(content), count), count * pack.entry)


def some(words: int, count: int, seed: int = 1) -> list[Entry]:
    """Random ones."""
    chance = random.Random(seed)
    return [
        (*(chance.getrandbits(64) for _ in range(words)), chance.getrandbits(16), chance.getrandbits(64))
        for _ in range(count)
    ]


@pytest.mark.parametrize("level", list(LEVELS))
@pytest.mark.parametrize("machine", list(compilers()))
@pytest.mark.parametrize("words", WIDTHS)
def test_what_is_unpacked_is_what_was_packed(words: int, machine: str, level: str) -> None:
    """None, one, and so many that vectors are used for most and not for the last. Memory is used again."""
    pack = packing(words, machine, level)
    for count in (0, 1, 2, 7, 8, 9, 1000, 3):
        entries = some(words, count, count)
        assert unpacked(pack, packed(pack, entries), count) == bytes(rows(entries))
    least_and_most = [(0,) * (words + 2), (*[MASK] * words, 0xFFFF, MASK)]
    assert unpacked(pack, packed(pack, least_and_most), 2) == bytes(rows(least_and_most))


@given(st.data(), st.sampled_from(WIDTHS))
def test_round_trip(data: st.DataObject, words: int) -> None:
    word = st.integers(0, MASK)
    entry = st.tuples(*[word] * words, st.integers(0, 0xFFFF), word)
    entries = data.draw(st.lists(entry, max_size=40))
    again = data.draw(st.integers(1, 20))
    pack = packing(words)
    content = packed(pack, entries * again)
    assert unpacked(pack, content, len(entries) * again) == bytes(rows(entries * again))


def test_states_that_are_alike_take_little() -> None:
    """Less than a byte beside the eight for the hash before; and those that are not alike hardly more than unpacked."""
    alike: list[Entry] = [(7, 9, 3, hash) for hash in range(10_000)]
    assert len(packed(packing(2), alike)) < 10_000 * 9
    assert len(packed(packing(2), some(2, 10_000))) < 10_000 * 26 * 1.01


def test_as_many_as_were_packed_or_none() -> None:
    pack, entries = packing(2), some(2, 50)
    content = packed(pack, entries)
    for count in (0, 1, 49, 51, 1000):
        with pytest.raises(Unpackable, match=f"is not {count:,} entries: "):
            pack.unpack(memoryview(content), count)
    for cut in (0, 10, 399, 400, 401, len(content) - 1):
        with pytest.raises(Unpackable, match="is not 50 entries: "):
            pack.unpack(memoryview(content[:cut]), 50)
    with pytest.raises(Unpackable, match="is not 50 entries: "):
        pack.unpack(memoryview(content + b"more"), 50)


def test_a_size_in_a_file_is_not_believed() -> None:
    """It holds much, in few bytes; no more memory is taken than for the entries that the driver knows of."""
    pack = packing(2)
    bomb = bytearray(8) + pa.Codec("zstd", 1).compress(bytes(1 << 26), asbytes=True)
    before = pa.total_allocated_bytes()
    with pytest.raises(Unpackable, match="is not 1 entries: "):
        pack.unpack(memoryview(bomb), 1)
    assert pa.total_allocated_bytes() == before


# -- in a file of the exchange -------------------------------------------------------------------------------------
@pytest.fixture
def storage() -> Storage:
    found = Storage("mock:///folder")
    opened, path = found._opened
    opened.create_dir(f"{path}/exchange/level", recursive=True)
    return found


def sent(storage: Storage, pack: Packing) -> tuple[list[Entry], list[Stretch]]:
    """Twelve entries, for the owners 1 and 3, written in two goes."""
    entries = some(2, 12)
    with Outbox(storage, "exchange/level", 2, "token", pack) as outbox:
        outbox.put(rows(entries[:8]), [0, 3 * pack.entry, 0, 5 * pack.entry])
        outbox.put(rows(entries[8:]), [4 * pack.entry], 1)
    assert [(owner, one.packed) for owner, one in outbox.sent] == [(1, 3), (3, 5), (1, 4)]
    return entries, [stretch for _, stretch in outbox.sent]


def read(storage: Storage, pack: Packing, stretches: list[Stretch]) -> list[bytes]:
    return [ctypes.string_at(at, size) for at, size, _ in Reader().read(storage, stretches, pack)]


def test_stretches_are_read_in_any_order(storage: Storage) -> None:
    pack = packing(2)
    entries, stretches = sent(storage, pack)
    parts = [bytes(rows(part)) for part in (entries[:3], entries[3:8], entries[8:])]
    assert read(storage, pack, stretches) == parts
    assert read(storage, pack, stretches[::-1]) == parts[::-1]
    assert [one.offset for one in stretches] == [0, stretches[0].size, stretches[0].size + stretches[1].size]
    (size,) = storage.sizes("exchange").values()
    assert size == sum(one.size for one in stretches)


def test_every_flipped_bit_is_noticed_before_it_is_unpacked(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = packing(2)
    _, stretches = sent(storage, pack)
    whole = storage.read(stretches[0].name).to_pybytes()
    monkeypatch.setattr(pack, "unpack", None)
    for bit in range(8 * stretches[0].size):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        storage._write_remote(stretches[0].name, changed)
        with pytest.raises(ExchangeLost, match="has another content than the one that was written"):
            read(storage, pack, stretches[:1])


@pytest.mark.parametrize(("size", "said"), [(0, "ends too early"), (-1, "ends too early"), (None, "cannot be read")])
def test_what_is_missing_is_noticed(size: int | None, said: str, storage: Storage) -> None:
    pack = packing(2)
    _, stretches = sent(storage, pack)
    whole = storage.read(stretches[0].name).to_pybytes()
    storage.remove(stretches[0].name)
    if size is not None:
        storage._write_remote(stretches[0].name, whole[:size])
    with pytest.raises(ExchangeLost, match=said):
        read(storage, pack, stretches)


@pytest.mark.parametrize("more", [-1, 1])
def test_what_cannot_be_unpacked_is_lost(more: int, storage: Storage) -> None:
    """As whole as it was written: but it is another number of entries."""
    pack = packing(2)
    _, stretches = sent(storage, pack)
    other = dataclasses.replace(stretches[0], packed=stretches[0].packed + more)
    with pytest.raises(ExchangeLost, match=rf"^a part of mock:///folder/exchange/.* is not {other.packed} entries: "):
        read(storage, pack, [other])


def test_only_where_the_storage_is_remote(storage: Storage, tmp_path: Any) -> None:
    code = packing(2)._code
    assert packing_for(Storage(str(tmp_path)), code) is packing_for(Storage(tmp_path.as_uri()), code) is None
    assert isinstance(packing_for(storage, code), Packing) and packing_for(storage, code) is packing_for(storage, code)
    assert (module.CODEC, module.LEVEL) == ("zstd", 1)


# Mapped files that a process keeps: what is used again is the same file, as it is now.

SIZE = 1 << 14


@pytest.fixture
def mappings(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mappings]:
    """Those of this process, for a test."""
    made = Mappings()
    monkeypatch.setattr(owner, "MAPPINGS", made)
    yield made
    made.tidy(0)
    assert len(made) == 0


def descriptors(folder: Path) -> int:
    """How many files below a folder this process has open: others close as soon as the collector finds them."""
    found = 0
    for one in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor of this listing itself
            found += one.readlink().is_relative_to(folder)
    return found


def written(path: Path, content: bytes) -> int:
    """Write to a block, and close it; where it was mapped."""
    block = FileBlock(path, SIZE, new=not path.exists())
    address = block.address
    block._map[: len(content)] = content
    block.close()
    return address


def mapped(path: Path, size: int = 5) -> bytes:
    """The beginning of a block."""
    block = FileBlock(path, SIZE, new=False)
    found = bytes(block._map[:size])
    block.close()
    return found


def test_a_mapping_is_used_again(mappings: Mappings, tmp_path: Path) -> None:
    """Also when the file has another name by then, as the tables of every level have."""
    address = written(tmp_path / "one", b"first")
    before = descriptors(tmp_path)
    (tmp_path / "one").rename(tmp_path / "two")
    block = FileBlock(tmp_path / "two", SIZE, new=False)
    assert block.address == address and bytes(block._map[:5]) == b"first" and len(mappings) == 0
    block.close()
    assert descriptors(tmp_path) == before and len(mappings) == 1


def test_another_file_of_the_same_name_is_another_file(mappings: Mappings, tmp_path: Path) -> None:
    """Its inode is not that of the file before, even if that is gone: the descriptor that is kept keeps it."""
    written(tmp_path / "table", b"first")
    for number in range(20):
        (tmp_path / "table").unlink()
        made = FileBlock(tmp_path / "table", SIZE, new=True)
        assert bytes(made._map[:]) == bytes(SIZE)
        made.close()
        written(tmp_path / "table", b"%05d" % number)
        assert mapped(tmp_path / "table") == b"%05d" % number


def test_a_file_that_another_process_made_larger_is_mapped_anew(mappings: Mappings, tmp_path: Path) -> None:
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
    before = descriptors(tmp_path)
    with pytest.raises(FileNotFoundError):
        FileBlock(tmp_path / "table", SIZE, new=False)
    assert not (tmp_path / "table").exists()
    (tmp_path / "table").write_bytes(b"short")
    with pytest.raises(ValueError, match="table has 5 bytes instead of 16,384"):
        FileBlock(tmp_path / "table", SIZE, new=False)
    with pytest.raises(FileExistsError):
        FileBlock(tmp_path / "table", SIZE, new=True)
    assert (tmp_path / "table").read_bytes() == b"short" and descriptors(tmp_path) == before


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
    before = descriptors(tmp_path)
    for number in range(8):
        written(tmp_path / f"{number}", b"first")
    assert len(mappings) == 8
    (tmp_path / "7").unlink()
    mappings.tidy(ALL)
    assert len(mappings) == 7
    mappings.tidy(OF_ONE_TABLE)
    assert len(mappings) == OF_ONE_TABLE and descriptors(tmp_path) == before + 2 * OF_ONE_TABLE
    address = written(tmp_path / "6", b"again")
    assert address == written(tmp_path / "6", b"again"), "the last ones are kept"
