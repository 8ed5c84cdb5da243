"""Digests of states and steps: the same in any order and any engine, different for different behaviour."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from epochal.checker.ir.digest import SECRETS, Digest, fold, state_hash
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
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


def _keeps_every_word(words: list[int], lane: int) -> bool:
    """Whether no product on the way is zero: what `state_hash` says of the words that it is blind for."""
    first, value = SECRETS[lane * 4], SECRETS[lane * 4 + 1]
    padded = [*words, 0] if len(words) % 2 else words
    for one, other in zip(padded[::2], padded[1::2], strict=True):
        if one == first or other == value:
            return False
        value = fold(one ^ first, other ^ value)
    return True


@given(WORDS, WORDS)
@example([0, 0, SECRETS[4], 0], [0, 0, SECRETS[4], 1])
@example([1, SECRETS[1]], [2, SECRETS[1]])
def test_hashes_tell_states_apart(a: list[int], b: list[int]) -> None:
    """Different states of the same size have different hashes, here at least, in each lane that is not blind for one.

    Hypothesis tries the numbers that stand in our source, so it does find the words that a lane is blind for.
    """
    if len(a) == len(b) and a != b:
        for lane in (0, 1):
            if _keeps_every_word(a, lane) and _keeps_every_word(b, lane):
                assert state_hash(a, lane) != state_hash(b, lane)


def test_what_one_lane_is_blind_for_the_other_tells_apart() -> None:
    """The two ways to lose a word, as the definition says them."""
    for lane in (0, 1):
        first, second = SECRETS[lane * 4], SECRETS[lane * 4 + 1]
        for one, other in (([first, 1], [first, 2]), ([1, second], [2, second])):
            assert state_hash(one, lane) == state_hash(other, lane)
            assert state_hash(one, 1 - lane) != state_hash(other, 1 - lane)


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
