"""Lines found in blocks are those that a look at each line finds."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.kafka.evidence import files as sifting
from epochal.kafka.evidence.files import sifted

WORDS = (b"ab", b"ba ", b"] Leader ")
LONGEST = 40


def one_by_one(content: bytes) -> list[tuple[int, bytes]]:
    lines = content.splitlines(keepends=True)
    return [
        (number, line[:LONGEST])
        for number, line in enumerate(lines, start=1)
        if any(word in line for word in WORDS) and len(line) <= LONGEST
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([b"a", b"b ", b"ab", b"\n", b"] Leader ", b"x" * 7]), max_size=60), st.integers(1, 50))
def test_the_same_lines_for_any_size_of_block(parts: list[bytes], block: int) -> None:
    content = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sifting, "BLOCK", block)
        found = list(sifted(io.BufferedReader(io.BytesIO(content)), WORDS, LONGEST))
    assert [one for one in found if len(content.splitlines(keepends=True)[one[0] - 1]) <= LONGEST] == one_by_one(
        content
    )
    assert all(len(line) <= LONGEST for _, line in found)


def test_a_line_without_an_end_is_not_held_as_a_whole() -> None:
    """And those behind it are found, with their numbers."""
    content = b"ab\n" + b"x" * (5 * sifting.BLOCK) + b"ab\nba ab\nab"
    found = list(sifted(io.BufferedReader(io.BytesIO(content)), WORDS, LONGEST))
    assert found == [(1, b"ab\n"), (2, b"x" * LONGEST), (3, b"ba ab\n"), (4, b"ab")]
