"""Entries of lists and tuples: found by a number of the state, cut out, looked for, put in order, and compared.

Whatever has entries comes as elements, each with the condition under which it is present; those of a list that is known
in length are all present.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from epochal.spec.language import Struct

from ...ir.expression import Expression
from ..execution import Execution
from ..source.patterns import SIGNS
from .collections import GuardedList, Placed, SymOptional, compacted, counted
from .known import family_of, field_of, record_type, truth_of
from .symbolic import Family, Guarded, as_int, int_value, truth_value

COMPOUND = (Family.TUPLE, Family.LIST, Family.RECORD)


def joined(execution: Execution, choices: Sequence[Guarded]) -> Any:
    """The value of the first choice whose condition is true, of which one is."""
    *others, (_, result) = choices
    for condition, value in reversed(others):
        result = execution.pairs.join(condition, value, result)
    return result


def number_at(execution: Execution, value: Any, what: str) -> Expression:
    """A number that tells a place. What may be none tells none."""
    number = None if isinstance(value, SymOptional) else as_int(execution, value)
    if number is None:
        raise execution.error(f"{what} is no integer here", "Use an integer, and test for None before.")
    return number


# -- one entry --------------------------------------------------------------------------------------------------------


def entry(execution: Execution, elements: list[Guarded], index: Any, placed: Placed | None = None) -> Any:
    """The entry at an index, counted from behind if it is negative. Evaluation fails where there is none."""
    graph = execution.graph
    at = number_at(execution, index, "this index")
    placed = placed or counted(execution, elements)
    count, sources = placed.count, compacted(execution, elements, placed)
    place = graph.ite(graph.lt(at, graph.integer(0)), graph.add(at, count), at)
    outside = graph.or_(graph.lt(place, graph.integer(0)), graph.le(count, place))
    execution.fail_if(outside, "IndexError: the index is out of range")
    choices: list[Guarded] = []
    for number, several in enumerate(sources):
        here = graph.eq(place, graph.integer(number))
        choices += [(both, value) for on, value in several if (both := graph.and_(here, on)) is not graph.false]
    if not choices:
        execution.fail_if(graph.true, "IndexError: the index is out of range")
    return joined(execution, choices)


def entry_of_log(execution: Execution, log: Iterable[Any], offset: Any) -> Any:
    """The entry of a known log at an offset that depends on the state. Evaluation fails where it is negative, too."""
    graph = execution.graph
    before = graph.lt(number_at(execution, offset, "this offset"), graph.integer(0))
    execution.fail_if(before, "a negative number is no offset")
    return entry(execution, [(graph.true, one) for one in log], offset)


def looked_up(execution: Execution, table: dict[Any, Any], key: Any, default: tuple[Any, ...] = ()) -> Any:
    """The value of a key in a dictionary, or the default. Evaluation fails where there is neither."""
    graph = execution.graph
    choices = [(execution.pairs.equal(key, one), value) for one, value in table.items()]
    choices = [(same, value) for same, value in choices if same is not graph.false]
    if default:
        return joined(execution, [*choices, (graph.true, default[0])])
    execution.fail_if(graph.not_(graph.any_of([same for same, _ in choices])), "KeyError: the key is not there")
    return joined(execution, choices)


# -- several ----------------------------------------------------------------------------------------------------------


def _limit(execution: Execution, value: Any, count: Expression, least: int, most: Expression) -> Expression:
    """A limit of a slice: counted from behind if it is negative, and never outside."""
    graph, zero = execution.graph, execution.graph.integer(0)
    at = number_at(execution, value, "a limit of this slice")
    behind = graph.max(graph.add(at, count), graph.integer(least))
    return graph.ite(graph.lt(at, zero), behind, graph.min(at, most))


def _inside(
    execution: Execution, elements: list[Guarded], piece: slice, placed: Placed
) -> tuple[list[Expression], Placed | None]:
    """For each element, whether it is present and lies in a slice; and where they stand there, if that is told."""
    graph = execution.graph
    step = 1 if piece.step is None else piece.step
    if type(step) is not int:
        raise execution.error("the step of a slice depends on the state", "Write a number, 2 or -1.")
    if step == 0:
        execution.fail_if(graph.true, "ValueError: slice step cannot be zero")
    places, count = placed.places, placed.count
    last = graph.offset(count, -1)
    low, high = (graph.integer(0), count) if step > 0 else (last, graph.integer(-1))
    least, most = (0, count) if step > 0 else (-1, last)
    first = low if piece.start is None else _limit(execution, piece.start, count, least, most)
    end = high if piece.stop is None else _limit(execution, piece.stop, count, least, most)
    found = []
    for (present, _), place in zip(elements, places, strict=True):
        if step > 0:
            within, distance = graph.and_(graph.le(first, place), graph.lt(place, end)), graph.sub(place, first)
        else:
            within, distance = graph.and_(graph.lt(end, place), graph.le(place, first)), graph.sub(first, place)
        if abs(step) > 1:
            within = graph.and_(within, graph.eq(graph.mod(distance, abs(step)), graph.integer(0)))
        found.append(graph.and_(present, within))
    if step != 1:
        return found, None
    if type(piece.start) is int and piece.start >= 0:  # where it is behind the end, no element is inside
        first = graph.integer(piece.start)
    length = graph.max(graph.sub(end, first), graph.integer(0))
    return found, Placed([graph.sub(place, first) for place in places], length)


def listed(execution: Execution, elements: list[Guarded], placed: Placed | None = None) -> Any:
    """Elements as a list: an ordinary one if all are present."""
    graph = execution.graph
    kept = [number for number, (present, _) in enumerate(elements) if present is not graph.false]
    found = [elements[number] for number in kept]
    if all(present is graph.true for present, _ in found):
        return [value for _, value in found]
    if placed is not None:
        placed = Placed([placed.places[number] for number in kept], placed.count)
    return GuardedList(execution, found, placed)


def cut_out(execution: Execution, elements: list[Guarded], piece: slice, placed: Placed) -> Any:
    """A slice, as a list."""
    inside, there = _inside(execution, elements, piece, placed)
    found = [(on, value) for on, (_, value) in zip(inside, elements, strict=True)]
    return listed(execution, found[::-1] if (piece.step or 1) < 0 else found, there)


def place_of(execution: Execution, elements: list[Guarded], wanted: Any, limits: Sequence[Any], prefix: bool) -> Any:
    """Where a value stands first, between two limits. Evaluation fails where it does not."""
    graph = execution.graph
    start, stop = (*limits, None, None)[:2]
    placed = counted(execution, elements, prefix)
    inside, _ = _inside(execution, elements, slice(start, stop), placed)
    places = placed.places
    same = [
        graph.and_(on, execution.pairs.equal(value, wanted)) for on, (_, value) in zip(inside, elements, strict=True)
    ]
    execution.fail_if(graph.not_(graph.any_of(same)), "ValueError: the value is not in the list")
    result = graph.integer(0)
    for here, place in zip(reversed(same), reversed(places), strict=True):
        result = graph.ite(here, place, result)
    return int_value(execution, result)


def occurrences(execution: Execution, elements: list[Guarded], wanted: Any) -> Any:
    """How often a value stands there."""
    graph, total = execution.graph, execution.graph.integer(0)
    for present, value in elements:
        total = graph.add(total, graph.as_integer(graph.and_(present, execution.pairs.equal(value, wanted))))
    return int_value(execution, total)


# -- order ------------------------------------------------------------------------------------------------------------


def ordered(execution: Execution, sign: str, a: Any, b: Any) -> Any:
    """A comparison by order. Tuples, lists and records are compared part by part, as Python compares tuples."""
    first, second = family_of(a), family_of(b)
    if first is not second or first not in COMPOUND:
        return SIGNS[sign](a, b)
    if first is Family.RECORD:
        if record_type(a) is not record_type(b):
            raise execution.error("records of two classes are compared by order", "Compare records of one class.")
        parts = [(field_of(a, name), field_of(b, name)) for name in record_type(a).fields]
        return truth_value(execution, _lexicographic(execution, sign, parts, 0))
    if not isinstance(a, list | tuple) or not isinstance(b, list | tuple):
        return SIGNS[sign](a, b)
    return truth_value(execution, _lexicographic(execution, sign, list(zip(a, b, strict=False)), len(a) - len(b)))


def _lexicographic(execution: Execution, sign: str, parts: Sequence[tuple[Any, Any]], longer: int) -> Expression:
    """The comparison of the first parts that differ; of the lengths where none do."""
    graph = execution.graph
    same, result = graph.true, graph.false
    for one, other in parts:
        equal = execution.pairs.equal(one, other)
        differ, holds = graph.and_(same, graph.not_(equal)), graph.false
        if differ is not graph.false:
            with execution.operand(differ):
                holds = truth_of(execution, ordered(execution, sign, one, other))
            result = graph.or_(result, graph.and_(differ, holds))
        same = graph.and_(same, equal)
    return graph.or_(result, graph.and_(same, graph.boolean(SIGNS[sign](longer, 0))))


def is_compound(value: Any) -> bool:
    """Whether values of this kind are compared part by part."""
    return isinstance(value, list | tuple | Struct) or family_of(value) is Family.RECORD


def best(execution: Execution, found: list[Guarded], keys: list[Any], sign: str) -> tuple[Any, Expression]:
    """What `min` or `max` chooses: the first element whose key no other one's exceeds; and whether there is one."""
    graph = execution.graph
    (have, chosen), key = found[0], keys[0]
    for (present, value), other in zip(found[1:], keys[1:], strict=True):
        both, better = graph.and_(have, present), graph.false
        if both is not graph.false:
            with execution.operand(both):
                better = truth_of(execution, ordered(execution, sign, other, key))
        taken = graph.and_(present, graph.or_(graph.not_(have), better))
        chosen, key = execution.pairs.join(taken, value, chosen), execution.pairs.join(taken, other, key)
        have = graph.or_(have, present)
    return chosen, have


def in_order(execution: Execution, found: list[Guarded], keys: list[Any], reverse: bool) -> Any:
    """The list that `sorted` gives: each element stands where as many come before it as there are places before."""
    graph = execution.graph
    ranks = [graph.integer(0) for _ in found]
    for i, (present, _) in enumerate(found):
        for j in range(i):
            both, moves = graph.and_(present, found[j][0]), graph.false
            if both is graph.false:
                continue
            with execution.operand(both):
                one, other = (keys[i], keys[j]) if not reverse else (keys[j], keys[i])
                moves = truth_of(execution, ordered(execution, "<", one, other))
            ranks[j] = graph.add(ranks[j], graph.as_integer(graph.and_(both, moves)))
            ranks[i] = graph.add(ranks[i], graph.as_integer(graph.and_(both, graph.not_(moves))))
    count = counted(execution, found).count
    places: list[Guarded] = []
    for number in range(len(found)):
        here = graph.integer(number)
        choices = [
            (graph.and_(on, graph.eq(rank, here)), value) for (on, value), rank in zip(found, ranks, strict=True)
        ]
        choices = [(on, value) for on, value in choices if on is not graph.false]
        if choices:
            places.append((graph.lt(here, count), joined(execution, choices)))
    return listed(execution, places)


def ties(execution: Execution, found: list[Guarded], keys: list[Any]) -> Expression:
    """Whether two elements that are present have the same key."""
    graph = execution.graph
    return graph.any_of(
        [
            graph.all_of([found[i][0], found[j][0], execution.pairs.equal(keys[i], keys[j])])
            for i in range(len(found))
            for j in range(i)
        ]
    )
