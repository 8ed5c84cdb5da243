"""What two values give together: whether they are equal, and what a variable holds that one branch or another gave it.

A rule for each pair of families stands in a table; a pair that has none is unequal, and cannot be joined.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from epochal.spec.language import Identifier, Log, Map, Set
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    IntegerDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    Scalar,
    SetDomain,
)
from epochal.spec.language.errors import shown_value

from ...ir.expression import Expression
from ...ir.graph import refuted
from ..execution import Execution, Fixed, Place
from .collections import (
    GuardedList,
    LooseSet,
    SymbolicSet,
    SymMaybeStruct,
    SymOptional,
    SymScalar,
    SymSet,
    SymStruct,
    decode,
    of_kind,
    origins_in,
    origins_of,
    parts_of,
)
from .known import (
    EitherSet,
    alike,
    domain_of,
    family_of,
    field_of,
    joined,
    joined_all,
    kind_of,
    record_type,
    same_kind,
    same_values,
    truth_of,
    universe_of,
)
from .places import Reference, StructReference, encode, known_code, read, set_mask
from .symbolic import (
    Family,
    Guarded,
    Mixed,
    Partial,
    Symbolic,
    SymText,
    Unassigned,
    Unreturned,
    as_int,
    int_value,
    texts_of,
    truth_value,
)

# -- sets -------------------------------------------------------------------------------------------------------------
# Operations on sets that depend on the state, whatever the universes of their operands. An element outside the universe
# of the other operand is no error: it is in one set and not in the other, as in Python. Only a set that is stored must
# fit its variable. A result has the class that it has in Python: of a plain set, whose order Python does not define,
# comes another plain set.


def _joint_kind(a: Any, b: Any) -> type:
    """The class of what an operator makes of two sets: `Set` has its own, also on the right of a frozenset."""
    first, second = kind_of(a), kind_of(b)
    if EitherSet in (first, second):
        return EitherSet
    return Set if first is frozenset and second is Set else first


def _members(execution: Execution, value: Any) -> list[Guarded]:
    """The possible elements of a set with their conditions."""
    return value.members() if isinstance(value, SymbolicSet) else [(execution.graph.true, e) for e in value]


class SetRules:
    """What two sets give together, in one run of a rule."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution

    def _operand(self, value: Any) -> Any:
        if family_of(value) is Family.SET:
            return value
        raise self.execution.error(f"{shown_value(value)} is not a set", "Use a set on both sides.")

    def settled(self, value: Any) -> SymSet:
        """A set over the smallest universe that certainly holds its elements."""
        if isinstance(value, SymSet):
            return value
        elements = [element for _, element in value.elements] if isinstance(value, LooseSet) else list(value)
        domain, kind = universe_of(self.execution, elements), kind_of(value)
        return SymSet(self.execution, set_mask(self.execution, domain, value)[1], domain, kind, origins_in(value))

    def _made(self, domain: SetDomain, expression: Expression, kind: type, *of: Any) -> Any:
        """A set that is made of others, of whose elements some are records of the state in Python."""
        origins = tuple(origin for one in of for origin in origins_in(one))
        if origins:
            return SymSet(self.execution, expression, domain, kind, origins)
        return of_kind(decode(self.execution, domain, expression), kind)

    def _certain(self, condition: Expression) -> bool:
        """Whether a condition is known to hold where the run stands."""
        graph = self.execution.graph
        return condition is graph.true or refuted(graph.and_(self.execution.present(), graph.not_(condition)))

    def _one_known(self, a: Any, b: Any) -> tuple[Any, Any]:
        """The operands, of which at least one has a universe."""
        a, b = self._operand(a), self._operand(b)
        if isinstance(a, SymSet) or isinstance(b, SymSet):
            return a, b
        return (self.settled(a), b) if isinstance(a, LooseSet) else (a, self.settled(b))

    def union(self, a: Any, b: Any) -> Any:
        """Members of either."""
        kind = _joint_kind(self._operand(a), self._operand(b))
        a, b = self._one_known(a, b)
        if not isinstance(a, SymSet):
            a, b = b, a
        inside, mask = set_mask(self.execution, a.domain, b)
        domain = a.domain
        if not self._certain(inside):
            other = self.settled(b)
            wider = joined(domain.element, other.domain.element)
            if wider is None:
                raise self.execution.error(
                    "these sets have elements of different kinds", "Keep elements of one kind in a set."
                )
            domain = SetDomain(wider)
            (_, first), (_, mask) = set_mask(self.execution, domain, a), set_mask(self.execution, domain, b)
            return self._made(domain, self.execution.graph.union(first, mask), kind, a, b)
        return self._made(domain, self.execution.graph.union(a.expression, mask), kind, a, b)

    def intersection(self, a: Any, b: Any) -> Any:
        """Members of both."""
        kind = _joint_kind(self._operand(a), self._operand(b))
        a, b = self._one_known(a, b)
        if not isinstance(a, SymSet):
            a, b = b, a
        _, mask = set_mask(self.execution, a.domain, b)
        return self._made(a.domain, self.execution.graph.intersection(a.expression, mask), kind, a, b)

    def difference(self, a: Any, b: Any) -> Any:
        """Members of the first that are not in the second."""
        kind = _joint_kind(self._operand(a), self._operand(b))
        a, b = self._one_known(a, b)
        if not isinstance(a, SymSet):
            inside, mask = set_mask(self.execution, b.domain, a)
            certain = self._certain(inside)
            a = SymSet(self.execution, mask, b.domain, origins=origins_in(a)) if certain else self.settled(a)
        _, mask = set_mask(self.execution, a.domain, b)
        return self._made(a.domain, self.execution.graph.difference(a.expression, mask), kind, a)

    def _compared(
        self, a: Any, b: Any, holds: Callable[[Expression, Expression], Expression]
    ) -> tuple[Expression, Expression, Expression]:
        """Whether each set lies in the universe used, and what the comparison says there."""
        a, b = self._one_known(a, b)
        domain = a.domain if isinstance(a, SymSet) else b.domain
        (inside_a, first), (inside_b, second) = set_mask(self.execution, domain, a), set_mask(self.execution, domain, b)
        return inside_a, inside_b, holds(first, second)

    def subset(self, a: Any, b: Any) -> Expression:
        """Whether every member of the first is in the second."""
        inside, _, holds = self._compared(a, b, self.execution.graph.subset)
        return self.execution.graph.and_(inside, holds)

    def equal_sets(self, a: Any, b: Any) -> Expression:
        """Whether both have the same members."""
        first, second, holds = self._compared(a, b, self.execution.graph.eq)
        return self.execution.graph.all_of([first, second, holds])

    def proper_subset(self, a: Any, b: Any) -> Expression:
        """Whether every member of the first is in the second, which has more."""
        graph = self.execution.graph
        return graph.and_(self.subset(a, b), graph.not_(self.equal_sets(a, b)))

    def disjoint(self, a: Any, b: Any) -> Expression:
        """Whether there is no common member."""
        graph = self.execution.graph
        _, _, holds = self._compared(a, b, lambda x, y: graph.eq(graph.intersection(x, y), graph.mask(0)))
        return holds

    def chosen_set(self, condition: Expression, a: Any, b: Any) -> Any:
        """The first set where the condition holds, else the second."""
        graph = self.execution.graph
        kind = kind_of(a) if kind_of(a) is kind_of(b) else EitherSet
        if isinstance(a, SymSet) and isinstance(b, SymSet) and same_values(a.domain, b.domain):
            return self._made(a.domain, graph.ite(condition, a.expression, b.expression), kind, a, b)
        other = graph.not_(condition)
        elements = [(graph.and_(condition, g), e) for g, e in _members(self.execution, a)]
        elements += [(graph.and_(other, g), e) for g, e in _members(self.execution, b)]
        for known in (a, b):
            if isinstance(known, SymSet):
                inside, mask = set_mask(self.execution, known.domain, b if known is a else a)
                if inside is graph.true:
                    first, second = (known.expression, mask) if known is a else (mask, known.expression)
                    return self._made(known.domain, graph.ite(condition, first, second), kind, a, b)
        return LooseSet(self.execution, elements, kind)


class PairRules(SetRules):
    """What two values give together, in one run of a rule."""

    # -- equality -------------------------------------------------------------------------------------------------

    def equal(self, a: Any, b: Any) -> Expression:
        """Whether two values are equal."""
        graph = self.execution.graph
        if not isinstance(a, Symbolic | list | tuple) and not isinstance(b, Symbolic | list | tuple):
            return graph.boolean(bool(a == b))
        self._refuse_comparison(a, b)
        first, second = family_of(a), family_of(b)
        if second in MAYBE_NONE and first not in MAYBE_NONE:
            a, b, first, second = b, a, second, first
        if first is Family.OPTIONAL:
            return self._equal_optional(a, b)
        if first is Family.MAYBE_RECORD:
            return self._equal_maybe(a, b)
        if Family.NAME in (first, second):
            return self._equal_names(a, b)
        rule = EQUAL.get((first, second))
        return graph.false if rule is None else rule(self, a, b)

    def _refuse_comparison(self, *values: Any) -> None:
        for value in values:
            chosen = isinstance(value, str) and any(isinstance(one, SymText) for one in values)
            if isinstance(value, float | complex | str | bytes) and not chosen:
                raise self.execution.error(
                    f"{shown_value(value)} is compared with a value of the state",
                    "Values are integers, truth values, names and records.",
                )
        for value in values:
            if isinstance(value, Symbolic) and not value.comparable:
                raise self.execution.error(f"{value.described} cannot be compared", value.instead)

    def _equal_truths(self, a: Any, b: Any) -> Expression:
        return self.execution.graph.eq(truth_of(self.execution, a), truth_of(self.execution, b))

    def _equal_numbers(self, a: Any, b: Any) -> Expression:
        return self.execution.graph.eq(*self._numbers(a, b))

    def _numbers(self, a: Any, b: Any) -> tuple[Expression, Expression]:
        first, second = as_int(self.execution, a), as_int(self.execution, b)
        assert first is not None and second is not None
        return first, second

    def _equal_texts(self, a: Any, b: Any) -> Expression:
        graph, others = self.execution.graph, texts_of(self.execution, b)
        same = [(one, others[text]) for text, one in texts_of(self.execution, a).items() if text in others]
        return graph.any_of([graph.and_(one, other) for one, other in same])

    def _equal_names(self, a: Any, b: Any) -> Expression:
        graph = self.execution.graph
        if isinstance(a, SymScalar) and isinstance(b, SymScalar):
            return graph.eq(a.expression, b.expression) if same_kind(a.domain, b.domain) else graph.false
        symbol, known = (a, b) if isinstance(a, SymScalar) else (b, a)
        code = None if isinstance(known, Symbolic) else _code(known, symbol.domain)
        return graph.false if code is None else graph.eq(symbol.expression, graph.integer(code))

    def _equal_optional(self, a: SymOptional, b: Any) -> Expression:
        graph = self.execution.graph
        if b is None:
            return a.is_none()
        element = a.domain.element
        if isinstance(b, SymOptional):
            other = b.domain.element
            low_a, low_b = getattr(element, "low", None), getattr(other, "low", None)
            if same_kind(element, other) or (isinstance(element, IntegerDomain) and low_a == low_b):
                return graph.eq(a.expression, b.expression)
            both = graph.and_(graph.not_(a.is_none()), graph.not_(b.is_none()))
            return graph.or_(
                graph.and_(a.is_none(), b.is_none()),
                graph.and_(both, self.equal(a.element(), b.element())),
            )
        if isinstance(b, SymScalar) and same_kind(element, b.domain):
            return graph.eq(a.expression, graph.offset(b.expression, 1))
        if not isinstance(b, Symbolic) and not isinstance(element, IntegerDomain | BooleanDomain):
            code = _code(b, element)
            return graph.false if code is None else graph.eq(a.expression, graph.integer(code + 1))
        return graph.and_(graph.not_(a.is_none()), self.equal(a.element(), b))

    def _equal_maybe(self, a: SymMaybeStruct, b: Any) -> Expression:
        graph = self.execution.graph
        if b is None:
            return graph.not_(a.present)
        if isinstance(b, SymMaybeStruct):
            neither = graph.and_(graph.not_(a.present), graph.not_(b.present))
            both = graph.and_(a.present, b.present)
            return graph.or_(neither, graph.and_(both, self.equal(a.record, b.record)))
        return graph.and_(a.present, self.equal(a.record, b))

    def _equal_records(self, a: Any, b: Any) -> Expression:
        graph = self.execution.graph
        if record_type(a) is not record_type(b):
            return graph.false
        return graph.all_of([self.equal(field_of(a, n), field_of(b, n)) for n in record_type(a).fields])

    def _equal_sequences(self, a: Any, b: Any) -> Expression:
        """Lists, tuples and known logs. A log equals lists and tuples. Lists may have entries in some states only."""
        if isinstance(a, GuardedList) or isinstance(b, GuardedList):
            return self._equal_lists(a, b)
        differ = isinstance(a, tuple) != isinstance(b, tuple) and not isinstance(a, Log) and not isinstance(b, Log)
        if differ or len(a) != len(b):
            return self.execution.graph.false
        return self.execution.graph.all_of([self.equal(x, y) for x, y in zip(a, b, strict=True)])

    def _equal_lists(self, a: Any, b: Any) -> Expression:
        """Sequences of which one has entries in some states only: entries at the same place must be equal."""
        graph, first, second = self.execution.graph, parts_of(self.execution, a), parts_of(self.execution, b)
        if first is None or second is None:
            return graph.false  # a list equals no tuple
        (elements, placed), (others, there) = first, second
        parts = [graph.eq(placed.count, there.count)]
        for (present, value), place in zip(elements, placed.places, strict=True):
            for (reached, other), at in zip(others, there.places, strict=True):
                here = graph.all_of([present, reached, graph.eq(place, at)])
                if here is not graph.false:
                    parts.append(graph.implies(here, self.equal(value, other)))
        return graph.all_of(parts)

    def _equal_logs(self, a: Any, b: Any) -> Expression:
        """Sequences of which one may be a log of the state."""
        graph = self.execution.graph
        if not (isinstance(a, Symbolic) or isinstance(b, Symbolic)) or GuardedList in (type(a), type(b)):
            return self._equal_sequences(a, b)
        if not isinstance(a, Symbolic):
            a, b = b, a
        other = b.length() if isinstance(b, Symbolic) else graph.integer(len(b))
        entries = [entry for _, entry in b.guarded()] if isinstance(b, Symbolic) else b
        parts = [graph.eq(a.length(), other)]
        for (reached, entry), another in zip(a.guarded(), entries, strict=False):
            parts.append(graph.implies(reached, self.equal(entry, another)))
        return graph.all_of(parts)

    def _equal_maps(self, a: Any, b: Any) -> Expression:
        if set(a.keys()) != set(b.keys()):
            return self.execution.graph.false
        return self.execution.graph.all_of([self.equal(a[k], b[k]) for k in a.keys()])  # noqa: SIM118

    # -- joining --------------------------------------------------------------------------------------------------

    def join(self, condition: Expression, a: Any, b: Any) -> Any:
        """The value that is `a` where the condition is true and `b` elsewhere."""
        if a is b:
            return a
        first, second = family_of(a), family_of(b)
        if first is Family.UNUSABLE or second is Family.UNUSABLE:
            return self._join_unusable(a, b)
        rule = JOIN.get((first, second))
        if rule is not None:
            return rule(self, condition, a, b)
        if not isinstance(a, Symbolic) and not isinstance(b, Symbolic) and alike(a, b):
            return a
        if isinstance(a, Reference) and type(a) is type(b) and not isinstance(a.place.view, Fixed):
            return self._join_references(condition, a, b)
        if first is Family.SET and second is Family.SET:
            return self.chosen_set(condition, a, b)
        if first in RECORDS_OR_NONE and second in RECORDS_OR_NONE:
            return self._join_records(condition, a, b)
        if first is second and first in (Family.MAP, Family.LOG):
            return self._join_fixed(condition, a, b)
        return self._join_scalars(condition, a, b)

    def _join_unusable(self, a: Any, b: Any) -> Any:
        """A result that is not there yet is not asked for; else the variable has no value on one of the paths."""
        if isinstance(a, Unreturned) or isinstance(b, Unreturned):
            return b if isinstance(a, Unreturned) else a
        found = a if isinstance(a, Symbolic) and a.family is Family.UNUSABLE else b
        return Unassigned(self.execution) if isinstance(found, Partial) else found

    def _join_truths(self, condition: Expression, a: Any, b: Any) -> Any:
        graph, execution = self.execution.graph, self.execution
        return truth_value(execution, graph.ite(condition, truth_of(execution, a), truth_of(execution, b)))

    def _join_texts(self, condition: Expression, a: Any, b: Any) -> Any:
        graph, found = self.execution.graph, dict[str, Expression]()
        for on, value in ((condition, a), (graph.not_(condition), b)):
            for text, chosen in texts_of(self.execution, value).items():
                found[text] = graph.or_(found.get(text, graph.false), graph.and_(on, chosen))
        return next(iter(found)) if len(found) == 1 else SymText(self.execution, found)

    def _join_numbers(self, condition: Expression, a: Any, b: Any) -> Any:
        return int_value(self.execution, self.execution.graph.ite(condition, *self._numbers(a, b)))

    def _join_truth_and_number(self, condition: Expression, a: Any, b: Any) -> Mixed:
        """True stays True in Python, and is no member of a domain of integers."""
        return Mixed(self.execution)

    def _join_tuples(self, condition: Expression, a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
        kind = type(a)
        if len(a) != len(b) or kind is not type(b) or hasattr(a, "__dict__"):
            return a if alike(a, b) else Mixed(self.execution)
        items = [self.join(condition, x, y) for x, y in zip(a, b, strict=True)]
        return tuple.__new__(kind, items)

    def _join_lists(self, condition: Expression, a: Any, b: Any) -> Any:
        graph = self.execution.graph
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            return [self.join(condition, x, y) for x, y in zip(a, b, strict=True)]
        elements = [(graph.and_(condition, g), e) for g, e in self._elements(a)]
        other = graph.not_(condition)
        elements += [(graph.and_(other, g), e) for g, e in self._elements(b)]
        return GuardedList(self.execution, [(g, e) for g, e in elements if g is not graph.false])

    def _elements(self, value: list[Any] | GuardedList) -> list[Guarded]:
        true = self.execution.graph.true
        return value.elements if isinstance(value, GuardedList) else [(true, e) for e in value]

    def _join_references(self, condition: Expression, a: Reference, b: Reference) -> Any:
        graph = self.execution.graph
        one, two = a.place, b.place
        if one.view is not two.view or one.depth != two.depth or not _same_shape(one, two):
            record = isinstance(a, StructReference)
            return self._join_records(condition, a, b) if record else Mixed(self.execution)
        if one.alternatives == two.alternatives:
            return a
        other = graph.not_(condition)
        alternatives = [(graph.and_(condition, c), at) for c, at in one.alternatives]
        alternatives += [(graph.and_(other, c), at) for c, at in two.alternatives]
        possible = tuple(x for x in alternatives if x[0] is not graph.false)
        return type(a)(self.execution, Place(one.view, one.domain, possible, one.depth))

    def _join_fixed(self, condition: Expression, a: Any, b: Any) -> Any:
        """Maps and logs that nobody changes: parameters, and what was chosen among them."""
        graph, (one, first), (two, second) = self.execution.graph, self._fixed(a), self._fixed(b)
        if one is None or two is None or not _same_leaves(one, two):
            return Mixed(self.execution)
        leaves = [graph.ite(condition, x, y) for x, y in zip(first, second, strict=True)]
        place = Place(Fixed(leaves), one, ((graph.true, 0),))
        return read(self.execution, place)

    def _fixed(self, value: Any) -> tuple[Domain | None, list[Expression]]:
        """The domain of a value that nobody changes, and the codes of its leaves; no domain of any other value."""
        if isinstance(value, Reference) and isinstance(value.place.view, Fixed):
            place = value.place
            return place.domain, [self.execution.read_leaf(place, at) for at in range(place.domain.leaf_count)]
        domain = value._domain if isinstance(value, Log | Map) else None
        if not isinstance(domain, LogDomain | MapDomain):
            return None, []
        codes = zip(domain.leaves, domain.codes_of(value), strict=True)
        return domain, [known_code(self.execution, leaf.domain, code) for leaf, code in codes]

    def _join_records(self, condition: Expression, a: Any, b: Any) -> Any:
        """Records or none: the fields are joined where both have a record."""
        graph = self.execution.graph
        (first, one), (second, two) = self._maybe(a), self._maybe(b)
        if one is None or two is None:
            record = two if one is None else one
            kind = record_type(record)
            fields = {n: field_of(record, n) for n in kind.fields}
        else:
            kind = record_type(one)
            if kind is not record_type(two):
                return Mixed(self.execution)
            fields = {n: self.join(condition, field_of(one, n), field_of(two, n)) for n in kind.fields}
        made = SymStruct(self.execution, kind, fields, (*origins_of(one), *origins_of(two)))
        present = graph.ite(condition, first, second)
        return made if present is graph.true else SymMaybeStruct(self.execution, present, made)

    def _maybe(self, value: Any) -> tuple[Expression, Any]:
        if value is None:
            return self.execution.graph.false, None
        if isinstance(value, SymMaybeStruct):
            return value.present, value.record
        return self.execution.graph.true, value

    def _join_scalars(self, condition: Expression, a: Any, b: Any) -> Any:
        execution, graph = self.execution, self.execution.graph
        known = [domain_of(execution, v) for v in (a, b) if v is not None]
        domains = [d for d in known if isinstance(d, Scalar)]
        optional = a is None or b is None
        domain = joined_all(domains, optional) if domains and len(domains) == len(known) else None
        if not isinstance(domain, Scalar):
            return Mixed(execution)
        chosen = graph.ite(condition, encode(execution, domain, a), encode(execution, domain, b))
        return (
            SymOptional(execution, chosen, domain)
            if isinstance(domain, OptionalScalar)
            else decode(execution, domain, chosen)
        )


def _code(value: Any, like: Any) -> int | None:
    """The code of a known scalar in a domain of the same kind, whatever its size."""
    if isinstance(value, Identifier):
        return value.index if getattr(like, "prefix", None) == value.prefix else None
    code: int | None = like.code(value)
    return code


def _same_shape(one: Place, two: Place) -> bool:
    """Whether the leaves of two places mean the same."""
    return _same_leaves(one.domain, two.domain)


def _same_leaves(one: Domain, two: Domain) -> bool:
    if one is two:
        return True
    first, second = one.leaves, two.leaves
    return len(first) == len(second) and all(
        x.path == y.path and same_values(x.domain, y.domain) for x, y in zip(first, second, strict=True)
    )


MAYBE_NONE = (Family.OPTIONAL, Family.MAYBE_RECORD)
NUMBERS = (Family.TRUTH, Family.NUMBER)
SEQUENCES = (Family.TUPLE, Family.LIST)
ORDERED = (*SEQUENCES, Family.LOG)
RECORDS_OR_NONE = (Family.RECORD, Family.MAYBE_RECORD, Family.NONE)

EQUAL: dict[tuple[Family, Family], Callable[[PairRules, Any, Any], Expression]] = {
    (Family.TRUTH, Family.TRUTH): PairRules._equal_truths,
    **dict.fromkeys(product((Family.NUMBER,), NUMBERS), PairRules._equal_numbers),
    (Family.TRUTH, Family.NUMBER): PairRules._equal_numbers,
    (Family.SET, Family.SET): PairRules.equal_sets,
    (Family.RECORD, Family.RECORD): PairRules._equal_records,
    **dict.fromkeys(product(ORDERED, ORDERED), PairRules._equal_logs),
    **dict.fromkeys(product(SEQUENCES, SEQUENCES), PairRules._equal_sequences),
    (Family.MAP, Family.MAP): PairRules._equal_maps,
    (Family.TEXT, Family.TEXT): PairRules._equal_texts,
}
"""How two values are compared, by their families. Where one may be none, or is a name, any other value is compared."""

JOIN: dict[tuple[Family, Family], Callable[[PairRules, Expression, Any, Any], Any]] = {
    (Family.TRUTH, Family.TRUTH): PairRules._join_truths,
    (Family.TRUTH, Family.NUMBER): PairRules._join_truth_and_number,
    (Family.NUMBER, Family.TRUTH): PairRules._join_truth_and_number,
    (Family.NUMBER, Family.NUMBER): PairRules._join_numbers,
    (Family.TUPLE, Family.TUPLE): PairRules._join_tuples,
    (Family.TEXT, Family.TEXT): PairRules._join_texts,
    (Family.LIST, Family.LIST): PairRules._join_lists,
}
"""How two values are joined, by their families, even if both are known and alike."""
