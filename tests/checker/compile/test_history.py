"""What has changed since a value was read: here mostly a record in the leaves 2..6, in which another is nested."""

from __future__ import annotations

import pytest

from epochal.checker.compile.execution import Change, History


def change(first: int, end: int, depth: int = 0, whole: bool = True) -> Change:
    """A change of these leaves."""
    return Change(1, first, end, depth, whole, True)


@pytest.mark.parametrize(
    ("made", "replaced"),
    [
        (change(2, 6), True),
        (change(2, 6, depth=1), False),
        (change(2, 6, whole=False), False),
        (change(1, 6, depth=1), True),
        (change(2, 7, depth=1), True),
        (change(1, 7), True),
        (change(3, 6), False),
        (change(2, 5), False),
        (change(3, 5), False),
        (change(6, 8), False),
    ],
)
def test_what_covers_a_value_replaces_it(made: Change, replaced: bool) -> None:
    """The same leaves are those of a value and of its only part: then what lies further out replaces the other."""
    assert made.replaces(2, 6, 0) is replaced


@pytest.mark.parametrize(
    ("first", "end", "touched"),
    [(0, 2, False), (0, 3, True), (2, 6, True), (3, 4, True), (5, 6, True), (5, 9, True), (6, 8, False), (0, 9, True)],
)
def test_what_overlaps_touches(first: int, end: int, touched: bool) -> None:
    assert change(first, end).touches(2, 6) is touched


def test_only_later_changes_count() -> None:
    history = History()
    history.note([2], 4, 0, True, True)
    assert history.clock == 1
    assert history.was_replaced(0, 3, 5, 1) and not history.was_replaced(1, 3, 5, 1)
    history.note([3], 2, 1, False, True)
    assert history.was_changed(1, 2, 6, 0) and not history.was_changed(2, 2, 6, 0)
    assert not history.was_replaced(1, 2, 6, 0), "a part was changed"
    assert not history.was_changed(1, 6, 9, 0)


def test_what_a_replacement_hides() -> None:
    """A value that certainly left the state is not changed by what comes after, but by what came before."""
    certain, perhaps, before = History(), History(), History()
    certain.note([2], 4, 0, True, True)
    perhaps.note([2], 4, 0, True, False)
    before.note([4], 1, 2, False, True)
    before.note([2], 4, 0, True, True)
    for history in (certain, perhaps, before):
        history.note([4], 1, 2, False, True)
    assert [history.was_changed(0, 2, 6, 0) for history in (certain, perhaps, before)] == [False, True, True]


def test_one_of_several_places() -> None:
    history = History()
    history.note([0, 4], 2, 1, True, False)
    assert [history.was_replaced(0, at, at + 2, 1) for at in range(0, 8, 2)] == [True, False, True, False]
    assert history.clock == 1 and history.mark() == (2, 2)


def test_two_paths() -> None:
    """What happens on one of two is seen after both, and is certain on neither."""
    history = History()
    history.note([0], 1, 1, False, True)
    mark = history.mark()
    assert mark == (1, 0)
    history.note([2], 4, 0, True, True)
    other = history.taken_back(mark)
    assert (history.mark(), other.mark()) == ((1, 0), (1, 1))
    history.note([6], 2, 1, False, True)
    history.join(other, mark)
    assert history.mark() == (3, 1)
    assert [made.certain for made in history.changes] == [True, False, False]
    history.note([3], 1, 2, False, True)
    assert history.was_replaced(0, 2, 6, 0)
    assert history.was_changed(0, 2, 6, 0), "it need not have been replaced before"
    assert history.was_changed(0, 6, 8, 0) and history.was_changed(0, 0, 1, 0)


def test_one_path_after_another_is_certain() -> None:
    history = History()
    mark = history.mark()
    history.note([2], 4, 0, True, True)
    other = history.taken_back(mark)
    history.join(other, mark, certain=True)
    history.note([3], 1, 2, False, True)
    assert not history.was_changed(0, 2, 6, 0)
