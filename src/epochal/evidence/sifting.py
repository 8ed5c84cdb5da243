"""The few lines of a long log that have one of some words: found in blocks, without looking at each line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BufferedReader

BLOCK = 1 << 20


def sifted(stream: BufferedReader, words: Sequence[bytes], longest: int) -> Iterator[tuple[int, bytes]]:
    """Those lines with their numbers, counted from 1, in their order.

    Each ends in a line feed but a last one without, and one that is longer than `longest`, whose rest is left out.
    """
    before, rest = 0, b""
    while block := stream.read(BLOCK):
        block = rest + block
        end = block.rfind(b"\n") + 1
        rest = block[end:]
        if len(rest) > longest:
            rest = rest[: longest + 1]  # what is behind it is of the same line, until one ends
        if end:
            yield from _of_block(block[:end], words, before, longest)
            before += block.count(b"\n", 0, end)
    if rest:
        yield from _of_block(rest, words, before, longest)


def _of_block(block: bytes, words: Sequence[bytes], before: int, longest: int) -> Iterator[tuple[int, bytes]]:
    """Of whole lines those that have a word. `before` is how many lines there were before these."""
    found: dict[int, int] = {}
    for word in words:
        at = block.find(word)
        while at >= 0:
            end = block.find(b"\n", at) + 1 or len(block)
            found[block.rfind(b"\n", 0, at) + 1] = end
            at = block.find(word, end)
    number, counted = before + 1, 0
    for start, end in sorted(found.items()):
        number += block.count(b"\n", counted, start)
        counted = start
        yield number, block[start : min(end, start + longest)]
