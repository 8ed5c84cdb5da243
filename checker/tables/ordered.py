"""The states of a level in the order of their hashes, however they come, in bounded memory.

A level of many states is parted by the upper bits of the hash into files of a scratch folder, each of which is sorted
alone. So the order, and with it every byte of a table, is that of the states and of nothing else.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .packed import Words
from .run import KeptRun, Rows

AT_ONCE = 1 << 18
"""About how many states are sorted in memory together."""

MOST_PARTS = 512
"""How many scratch files are open at a time, at most."""

SIGN = np.uint64(1 << 63)


def signed(hashes: Words) -> NDArray[np.int64]:
    """Hashes as the signed integers that tables have: SQL knows no others of 64 bits."""
    return hashes.view(np.int64)


def ordered(run: KeptRun, level: int, scratch: Path) -> Iterator[Rows]:
    """The states of a level by their signed hash, some at a time. Raises OSError if the scratch folder is full."""
    count = run.levels[level]
    bits = (min(MOST_PARTS, -(-count // AT_ONCE)) - 1).bit_length()
    if not bits:
        yield _sorted(_joined(list(run.rows(level))))
        return
    with tempfile.TemporaryDirectory(prefix="level-", dir=scratch) as folder:
        files = [Path(folder) / str(number) for number in range(1 << bits)]
        with contextlib.ExitStack() as opened:
            handles = [opened.enter_context(file.open("wb")) for file in files]
            for rows in run.rows(level):
                parts = (rows.hashes ^ SIGN) >> np.uint64(64 - bits)
                order = np.argsort(parts, kind="stable")
                packed = _packed(rows.taken(order))
                ends = np.searchsorted(parts[order], np.arange(1, len(files) + 1, dtype=np.uint64))
                first = 0
                for handle, end in zip(handles, ends.tolist(), strict=True):
                    packed[first:end].tofile(handle)
                    first = end
        for file in files:
            part = _unpacked(np.fromfile(file, np.uint64), run.model.layout.words)
            file.unlink()
            yield _sorted(part)


def _sorted(rows: Rows) -> Rows:
    """Rows by their signed hash; of states with the same one, by their words."""
    keys = signed(rows.hashes)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    if len(ranked) > 1 and (ranked[1:] == ranked[:-1]).any():
        order = np.lexsort((*reversed(list(rows.words.T)), keys))
    return rows.taken(order)


def _joined(parts: list[Rows]) -> Rows:
    return Rows(
        np.concatenate([one.words for one in parts]),
        np.concatenate([one.parents for one in parts]),
        np.concatenate([one.instances for one in parts]),
    )


def _packed(rows: Rows) -> Words:
    return np.column_stack([rows.words, rows.parents, rows.instances.view(np.uint64)])


def _unpacked(flat: Words, words: int) -> Rows:
    table = flat.reshape(-1, words + 2)
    return Rows(table[:, :words], table[:, words], table[:, words + 1].astype(np.int64))
