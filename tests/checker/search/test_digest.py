"""Digests of states and steps: the same in any order and any engine, different for different behaviour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from epochal.checker.ir.digest import Digest, fold, state_hash
from epochal.checker.search import breadth_first, reference_engine
from epochal.checker.search.result import Options
from tests.checker.search.models import classic

WORDS = st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=5)


@given(st.lists(st.tuples(st.integers(0, (1 << 64) - 1), st.integers(0, (1 << 64) - 1)), max_size=8), st.randoms())
def test_order_does_not_matter(members: list[tuple[int, int]], random: object) -> None:
    """A digest is a sum."""
    forwards, backwards = Digest(), Digest()
    for low, high in members:
        forwards = forwards.add(low, high)
    for low, high in reversed(members):
        backwards = backwards.add(low, high)
    assert str(forwards) == str(backwards) and len(str(forwards)) == 32


@given(WORDS, WORDS)
def test_hashes_tell_states_apart(a: list[int], b: list[int]) -> None:
    """Different states of the same size have different hashes in both lanes, here at least."""
    if len(a) == len(b) and a != b:
        assert state_hash(a) != state_hash(b) and state_hash(a, 1) != state_hash(b, 1)


def test_fold_is_the_definition() -> None:
    """Both halves of the product, combined."""
    assert fold(1 << 63, 2) == 1
    assert fold((1 << 64) - 1, (1 << 64) - 1) == ((1 << 64) - 2) ^ 1


def test_the_published_digest() -> None:
    """The digest of one small model, so that a change of the definition does not go unnoticed."""
    protocol = classic("kip-320", 2, 1, 1, 1)
    native, python = breadth_first.check(protocol, Options()), reference_engine.check(protocol, Options())
    assert native.state_digest == python.state_digest == "261cd329a11792804669a385da652f08"
    assert native.step_digest == python.step_digest == "96bfeecc7cfde35dd14d71c97d5a7d01"


def test_behaviour_shows_in_the_digest() -> None:
    """KIP-279 and KIP-320 differ in states and in steps."""
    one = breadth_first.check(classic("kip-279", 2, 2, 2, 1), Options(all_violations=True))
    other = breadth_first.check(classic("kip-320", 2, 2, 2, 1), Options(all_violations=True))
    assert one.state_digest != other.state_digest and one.step_digest != other.step_digest
