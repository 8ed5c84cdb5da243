"""An address is a whole run: what is written is read again, and what is no address is refused by its name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epochal.cli.explorer.walk import MOST_STEPS, Address, Branch, read_address, unique_labels
from epochal.errors import UsageError

NAMES = st.from_regex(r"[a-z_]{1,9}", fullmatch=True)
LABELS = st.text(min_size=1, max_size=12)


@given(
    st.builds(
        Address,
        protocol=LABELS,
        bounds=st.lists(st.tuples(st.from_regex(r"[a-z_]{1,9}", fullmatch=True), st.integers(0, 99)), max_size=3).map(
            tuple
        ),
        first=st.integers(0, 9),
        codes=st.lists(st.integers(0, 99), max_size=3).map(tuple),
        steps=st.lists(LABELS, max_size=4).map(tuple),
        branches=st.lists(
            st.builds(Branch, after=st.just(0), steps=st.lists(LABELS, min_size=1, max_size=3).map(tuple)), max_size=2
        ).map(tuple),
        about=LABELS,
        asked=st.lists(LABELS.filter(str.strip), max_size=2, unique=True).map(tuple),
        beside=LABELS,
    )
)
def test_what_is_written_is_read(address: Address) -> None:
    address = replace(address, at=len(address.steps))
    assert read_address(address.query()) == address


RUN = Address("kip-279", steps=("a", "b", "c"), at=3)


def test_a_step_back_keeps_what_follows() -> None:
    back = RUN.looking_at(1)
    assert back.steps == RUN.steps and back.at == 1
    assert back.taking("b") == RUN.looking_at(2)


def test_another_step_makes_a_branch() -> None:
    other = RUN.looking_at(1).taking("x")
    assert (other.steps, other.at) == (("a", "x"), 2)
    assert other.branches == (Branch(1, ("b", "c")),)
    again = other.on(other.branches[0])
    assert (again.steps, again.at) == (("a", "b", "c"), 2)
    assert again.branches == (Branch(1, ("x",)),)


def test_taking_the_first_step_of_a_branch_is_that_branch() -> None:
    other = RUN.looking_at(1).taking("x").looking_at(1)
    assert other.taking("b") == other.on(Branch(1, ("b", "c")))


def test_a_branch_of_what_was_left_hangs_where_that_was_left() -> None:
    deep = RUN.looking_at(2).taking("y").looking_at(0).taking("z")
    assert deep.steps == ("z",)
    assert set(deep.branches) == {Branch(0, ("a", "b", "y")), Branch(0, ("a", "b", "c"))}
    assert deep.without(Branch(0, ("a", "b", "c"))).branches == (Branch(0, ("a", "b", "y")),)


def test_what_follows_can_be_forgotten() -> None:
    assert RUN.looking_at(1).cut() == Address("kip-279", steps=("a",), at=1)


def test_labels_that_read_alike_are_told_apart() -> None:
    assert unique_labels(["a", "b", "a", "a"]) == ["a", "b", "a #2", "a #3"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("p=kip-279&at=one", "at is 'one' in the address"),
        ("p=kip-279&at=\u0661", "at is"),
        ("p=kip-279&bound=replicas:many", "the bound replicas is 'many'"),
        ("p=kip-279&codes=1,x", "codes is 'x'"),
        ("p=kip-279&b=x;a", "b is 'x'"),
        ("p=kip-279" + "&s=a" * (MOST_STEPS + 1), f"more than {MOST_STEPS} steps"),
        ("p=kip-279" + "&s=a" * 5000, "the address is too long"),
        ("p=kip-279" + "".join(f"&ask=self.x{n}" for n in range(13)), "more than 12 expressions"),
    ],
)
def test_what_is_no_address(query: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_address(query)
