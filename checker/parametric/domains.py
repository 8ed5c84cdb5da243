"""What a variable, field or parameter may be, for every choice of the bounds: annotations as first-order domains."""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, Union, cast, get_args, get_origin

from epochal.spec.language import Bounds, LanguageError, Map, Set, SourceLine, Struct
from epochal.spec.language.annotations import Capacity, Identifiers, Integers, hints
from epochal.spec.language.bounds import Size
from epochal.spec.language.functions import annotation_line

from .terms import (
    BOOL,
    IDENTIFIER,
    INT,
    Bound,
    Symbol,
    Term,
    add,
    and_,
    apply,
    constant,
    eq,
    forall,
    implies,
    ite,
    kind_of,
    le,
    scale,
    sub,
    sure,
    variable,
)

# -- refused ----------------------------------------------------------------------------------------------------------
# What the parametric semantics has no place for.


class Untranslatable(LanguageError):
    """A construct has no first-order semantics. The message names it, the advice says what to write instead."""

    def __init__(self, what: str, advice: str, where: SourceLine | None = None) -> None:
        super().__init__(f"{what} has no first-order semantics for every choice of the bounds", where, advice)


class TwoSets(Untranslatable):
    """Identifiers of one prefix are two sets, so that no rule has a semantics."""


class PathEnds(Exception):
    """Evaluation certainly fails here, or a guard is certainly false: what follows is not run."""


@dataclass(frozen=True)
class Truths:
    """True and false."""


@dataclass(frozen=True)
class Numbers:
    """The integers from `low` to `high`; of an enumeration `members`, by their places in it."""

    low: Term
    high: Term
    members: type[enum.Enum] | None = None

    def has(self, number: Term) -> Term:
        """That a number lies in the domain."""
        return and_(le(self.low, number), le(number, self.high))


@dataclass(frozen=True)
class Names:
    """Identifiers of one prefix: an arbitrary set."""

    prefix: str

    @property
    def sort(self) -> str:
        """The sort of their terms."""
        return IDENTIFIER + self.prefix


def names_of(sort: str) -> Names:
    """The identifiers whose terms have a sort."""
    return Names(sort.removeprefix(IDENTIFIER))


@dataclass(frozen=True)
class Sets:
    """Sets of identifiers, or of numbers of one domain."""

    element: Names | Numbers


@dataclass(frozen=True)
class Records:
    """Records of a class, field by field."""

    type: type[Struct]
    fields: tuple[tuple[str, Domain], ...]

    def field(self, name: str) -> Domain:
        """The domain of a field."""
        return dict(self.fields)[name]


@dataclass(frozen=True)
class Optional:
    """A value or none."""

    element: Domain


@dataclass(frozen=True)
class Maps:
    """A value for each key."""

    key: Numbers | Names
    value: Domain


@dataclass(frozen=True)
class Logs:
    """A sequence with an end, of at most `capacity` entries."""

    entry: Domain
    capacity: Term


Domain = Truths | Numbers | Names | Sets | Records | Optional | Maps | Logs


SAMPLES = (1_000_003, 998_244_353)
"""Bounds at which sizes are told apart: powers of primes, so that no sum or product of few is another one."""


class AnyBounds:
    """Bounds of which each is an arbitrary number from its least one on."""

    def __init__(self, kind: type[Bounds]) -> None:
        self.kind = kind
        self.numbers = {name: apply(Symbol(f"#{name}", name), (), INT) for name in kind.declared()}
        self._any = SimpleNamespace(**{name: _Number(term) for name, term in self.numbers.items()})
        self._some = [
            SimpleNamespace(**{name: base**power for power, name in enumerate(self.numbers, 1)}) for base in SAMPLES
        ]

    def __eq__(self, other: object) -> bool:
        raise Untranslatable("a comparison of the bounds", "Compare one of them: self.bounds.replicas == 3.")

    def __hash__(self) -> int:
        raise Untranslatable("a comparison of the bounds", "Compare one of them: self.bounds.replicas == 3.")

    def size(self, size: int | Size) -> Term:
        """A size of the specification as a term."""
        found: Any = size.at(cast(Bounds, self._any)) if isinstance(size, Size) else size
        return found.term if isinstance(found, _Number) else constant(int(found))

    def sample(self, size: int | Size) -> tuple[int, ...]:
        """A size for some large bounds: two sizes that are the same here are the same for all bounds.

        Their texts do not tell: those of a - (b - c) and (a - b) - c are the same.
        """
        return tuple(size.at(cast(Bounds, some)) if isinstance(size, Size) else size for some in self._some)

    def always(self, size: int | Size, other: int | Size) -> bool:
        """Whether one size is at most the other for every choice of the bounds, for what each is at least.

        Of sums of multiples of bounds the difference is least where all bounds are, unless it falls with one. A size
        may also be a product of bounds, where that need not be so: a yes says only that a fact is not needed, and a
        fact that is told without need holds wherever the protocol can be made.
        """
        least = {name: field.least for name, field in self.kind.declared().items()}
        further = [least, *({**least, name: value + 1} for name, value in least.items())]
        ranges = [
            [one.at(cast(Bounds, SimpleNamespace(**at))) if isinstance(one, Size) else one for one in (size, other)]
            for at in further
        ]
        at_least, *others = [high - low for low, high in ranges]
        return at_least >= 0 and all(one >= at_least for one in others)

    @property
    def facts(self) -> list[Term]:
        """That each is at least the least number that it may be."""
        return [le(constant(field.least), self.numbers[name]) for name, field in self.kind.declared().items()]


class _Number:
    """A number that depends on the bounds, with the operations of `Size`."""

    def __init__(self, term: Term) -> None:
        self.term = term

    def __add__(self, other: int | _Number) -> _Number:
        return _Number(add(self.term, _term(other)))

    def __sub__(self, other: int | _Number) -> _Number:
        return _Number(sub(self.term, _term(other)))

    def __rsub__(self, other: int) -> _Number:
        return _Number(sub(_term(other), self.term))

    def __mul__(self, other: int | _Number) -> _Number:
        if not isinstance(other, int):
            raise Untranslatable("a product of two bounds", "Give the limit a bound of its own.")
        return _Number(scale(other, self.term))

    __radd__ = __add__
    __rmul__ = __mul__


def _term(number: int | _Number) -> Term:
    return number.term if isinstance(number, _Number) else constant(number)


class Domains:
    """Resolves annotations for arbitrary bounds. Identifiers of one prefix are one set, however often it is named."""

    def __init__(self, bounds: AnyBounds) -> None:
        self.bounds = bounds
        self._sizes: dict[str, tuple[tuple[int, ...], int]] = {}
        self.sizes: dict[str, Term] = {}
        """How many identifiers there are, by their sort."""
        self.admitted: dict[Term, None] = {}
        """What is so of all bounds at which the domains have values, and does not follow from what each is at least."""

    def __call__(self, annotation: Any) -> Domain:
        """The domain that an annotation stands for. Raises Untranslatable if it has no first-order semantics."""
        origin = get_origin(annotation)
        if origin is Annotated:
            return self._annotated(annotation)
        if origin is Union or origin is types.UnionType:
            return self._optional([kind for kind in get_args(annotation) if kind is not type(None)])
        if origin is Set:
            return self._set(self(get_args(annotation)[0]))
        if origin is Map:
            key, value = map(self, get_args(annotation))
            if not isinstance(key, Numbers | Names):
                raise Untranslatable("a map whose keys are neither numbers nor identifiers", "Key it by one of these.")
            return Maps(key, value)
        if annotation is bool:
            return Truths()
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return Numbers(constant(0), constant(len(annotation) - 1), annotation)
        if isinstance(annotation, type) and issubclass(annotation, Struct):
            known = hints(annotation)
            return Records(
                annotation, tuple((name, self._field(annotation, name, known)) for name in annotation.fields)
            )
        raise Untranslatable(f"the domain {annotation!r}", "Use numbers, identifiers, records, sets, maps and logs.")

    def _field(self, record: type[Struct], name: str, known: dict[str, Any]) -> Domain:
        try:
            return self(known[name])
        except Untranslatable as error:
            error.where = error.where or annotation_line(record, name)
            raise

    def _annotated(self, annotation: Any) -> Domain:
        base, *marks = get_args(annotation)
        for mark in marks:
            if isinstance(mark, Integers):
                return Numbers(*self._in_order(mark.low, mark.high))
            if isinstance(mark, Identifiers):
                size = (self.bounds.sample(mark.size), mark.first)
                if self._sizes.setdefault(mark.prefix, size) != size:
                    raise TwoSets(
                        f"two domains of identifiers with the prefix {mark.prefix!r}", "Give each a prefix of its own."
                    )
                names = Names(mark.prefix)
                _, self.sizes[names.sort] = self._in_order(1, mark.size)
                return names
            if isinstance(mark, Capacity):
                entry = self(get_args(base)[0])
                if isinstance(entry, Maps | Logs):
                    raise Untranslatable("a log of maps or logs", "Use records as entries.")
                return Logs(entry, self._in_order(1, mark.entries)[1])
        return self(base)

    def _in_order(self, least: int | Size, most: int | Size) -> tuple[Term, Term]:
        """Two sizes, of which the second is no less than the first wherever a protocol has such a domain."""
        low, high = self.bounds.size(least), self.bounds.size(most)
        if not self.bounds.always(least, most):
            self.admitted[le(low, high)] = None
        return low, high

    def _optional(self, kinds: list[Any]) -> Domain:
        if len(kinds) != 1:
            raise Untranslatable("a choice of several kinds", "Write X | None, or a record with both.")
        element = self(kinds[0])
        if isinstance(element, Optional | Maps | Logs | Sets):
            raise Untranslatable("a set, map or log that may be none", "Make it empty instead.")
        return Optional(element)

    def _set(self, element: Domain) -> Domain:
        if isinstance(element, Records):
            raise Untranslatable(
                "a set of records", "Keep them in a Log, with a field that says which of them still count."
            )
        if not isinstance(element, Names | Numbers) or (isinstance(element, Numbers) and element.members):
            raise Untranslatable(
                "a set of anything but identifiers and numbers",
                "Use a Map[..., bool], which says of each whether it is in it.",
            )
        return Sets(element)


# -- leaves -----------------------------------------------------------------------------------------------------------
# The leaves of a state as functions: of map keys, offsets in logs, and the members of sets.


Leaf = Callable[[Sequence[Term]], Term]
"""What a function of the state is now, at some arguments."""

END, IS_THERE = ".end()", "?"
"""The leaves that say how long a log is, and whether there is a value. No field is called so."""

FIRST = "first "
"""How the names of the first identifiers begin; their sort follows."""


@dataclass(frozen=True)
class Argument:
    """One argument of a leaf: a key of a map (`domain`), an offset in the log at the path `log`, or a set's member."""

    domain: Numbers | Names
    log: str = ""

    @property
    def sort(self) -> str:
        """The sort of its terms."""
        return self.domain.sort if isinstance(self.domain, Names) else INT


@dataclass(frozen=True)
class LeafShape:
    """A leaf: its arguments, its domain, and the optional values in which it lies (path, number of arguments)."""

    path: str
    arguments: tuple[Argument, ...]
    domain: Truths | Numbers | Names
    inside: tuple[tuple[str, int], ...] = ()

    @property
    def sort(self) -> str:
        """The sort of its values."""
        return sort_of(self.domain)

    @property
    def symbol(self) -> Symbol:
        """The function that stands for it in an arbitrary state."""
        return Symbol(self.path, kind_of(self.domain.high) if isinstance(self.domain, Numbers) else "")


def sort_of(domain: Truths | Numbers | Names) -> str:
    """The sort of the values of a scalar domain."""
    return BOOL if isinstance(domain, Truths) else domain.sort if isinstance(domain, Names) else INT


def shapes(variables: Mapping[str, Domain]) -> dict[str, LeafShape]:
    """The leaves of a state with these variables, by path."""
    found: dict[str, LeafShape] = {}
    for name, domain in variables.items():
        for shape in _shapes(domain, name, (), ()):
            sure(shape.path not in found, f"two leaves are called {shape.path}")
            found[shape.path] = shape
    return found


def _shapes(
    domain: Domain, path: str, arguments: tuple[Argument, ...], inside: tuple[tuple[str, int], ...]
) -> Iterator[LeafShape]:
    if isinstance(domain, Records):
        for name, field in domain.fields:
            yield from _shapes(field, f"{path}.{name}", arguments, inside)
    elif isinstance(domain, Maps):
        yield from _shapes(domain.value, path, (*arguments, Argument(domain.key)), inside)
    elif isinstance(domain, Logs):
        yield LeafShape(path + END, arguments, Numbers(constant(0), domain.capacity), inside)
        offset = Argument(Numbers(constant(0), add(domain.capacity, constant(-1))), path)
        yield from _shapes(domain.entry, path, (*arguments, offset), inside)
    elif isinstance(domain, Optional):
        yield LeafShape(path + IS_THERE, arguments, Truths(), inside)
        yield from _shapes(domain.element, path, arguments, (*inside, (path + IS_THERE, len(arguments))))
    elif isinstance(domain, Sets):
        yield LeafShape(path, (*arguments, Argument(domain.element)), Truths(), inside)
    else:
        yield LeafShape(path, arguments, domain, inside)


Access = tuple[str, tuple[Term, ...]]


class Accesses:
    """What a part of a rule reads and writes: paths, with the arguments that they are given."""

    def __init__(self) -> None:
        self.read: list[Access] = []
        self.written: list[Access] = []


class View:
    """A state: what each leaf is now.

    `clock` counts its changes, `replaced` says when a path was assigned as a whole, `touched` when a record there was
    changed in place.
    """

    def __init__(self, leaves: Mapping[str, Leaf], writable: bool) -> None:
        self.leaves = dict(leaves)
        self.writable = writable
        self.clock = 0
        self.replaced: dict[str, int] = {}
        self.touched: dict[str, int] = {}
        self.accesses = Accesses()

    def leaf(self, path: str, arguments: Sequence[Term]) -> Term:
        """The value of a leaf."""
        self.accesses.read.append((path, tuple(arguments)))
        return self.leaves[path](arguments)

    def members(self, path: str, arguments: Sequence[Term]) -> Leaf:
        """The set at a place as it is now: of a member whether it is in it."""
        self.accesses.read.append((path, tuple(arguments)))
        now, before = self.leaves[path], tuple(arguments)
        return lambda member: now((*before, *member))

    def set(self, path: str, arguments: Sequence[Term], value: Term | Leaf) -> None:
        """Change a leaf at these arguments: to a value, or to a function of the arguments that are left."""
        self.accesses.written.append((path, tuple(arguments)))
        old, at, many = self.leaves[path], tuple(arguments), len(arguments)

        def new(asked: Sequence[Term]) -> Term:
            here = and_(*(eq(a, b) for a, b in zip(asked, at, strict=False)))
            return ite(here, value if isinstance(value, Term) else value(asked[many:]), old(asked))

        self.leaves[path] = new
        self.clock += 1

    def replace(self, path: str) -> None:
        """Note that what lies at a path was assigned as a whole: who has a reference to it has the old one."""
        self.clock += 1
        self.replaced[path] = self.clock

    def touch(self, path: str) -> None:
        """Note that a record at a path was changed in place: whoever has a reference to it sees the change."""
        self.clock += 1
        self.touched[path] = self.clock

    def changed_in_place(self, path: str, since: int) -> bool:
        """Whether a record at a path, or one that is a part of it, was changed in place since a time."""
        return any(
            when > since and (one == path or one.startswith((path + ".", path + IS_THERE)))
            for one, when in self.touched.items()
        )

    def stale(self, path: str, since: int) -> bool:
        """Whether what lay at a path at a time was replaced since, by itself or with what is around it."""
        return any(
            when > since and (path == one or path.startswith((one + ".", one + IS_THERE)))
            for one, when in self.replaced.items()
        )

    def joined(self, condition: Term, other: Mapping[str, Leaf]) -> None:
        """Let every leaf be the other where the condition is true."""
        for path, mine in self.leaves.items():
            if other[path] is not mine:
                self.leaves[path] = _either(condition, other[path], mine)
        self.clock += 1


def _either(condition: Term, a: Leaf, b: Leaf) -> Leaf:
    return lambda arguments: ite(condition, a(arguments), b(arguments))


def arbitrary(leaves: Iterable[LeafShape]) -> View:
    """Any state: every leaf is a function of which nothing is known."""

    def function(shape: LeafShape) -> Leaf:
        symbol, sort = shape.symbol, shape.sort
        return lambda arguments: apply(symbol, arguments, sort)

    return View({shape.path: function(shape) for shape in leaves}, writable=False)


def first(leaves: Iterable[LeafShape]) -> View:
    """The state in which every variable has the first value of its domain."""

    def function(shape: LeafShape) -> Leaf:
        domain = shape.domain
        if isinstance(domain, Truths):
            return lambda arguments: constant(False)
        least = domain.low if isinstance(domain, Numbers) else apply(Symbol(f"{FIRST}{domain.sort}"), (), domain.sort)
        return lambda arguments: least

    return View({shape.path: function(shape) for shape in leaves}, writable=True)


def typing(leaves: Iterable[LeafShape], view: View) -> dict[str, Term]:
    """By path, that the numbers of a state lie in their domains wherever there is one."""
    found = {}
    for shape in leaves:
        if isinstance(shape.domain, Numbers):
            bounds = places(shape, view)
            here = [bound.variable for bound in bounds]
            there = [view.leaf(path, here[:many]) for path, many in shape.inside]
            holds = shape.domain.has(view.leaf(shape.path, here))
            found[shape.path] = forall(bounds, implies(and_(*there), holds))
    return found


def places(shape: LeafShape, view: View) -> list[Bound]:
    """Variables for the arguments of a leaf, within the keys and the ends of logs."""
    bounds: list[Bound] = []
    for number, argument in enumerate(shape.arguments):
        name = f"{shape.path}:{number}"
        if isinstance(argument.domain, Names):
            bounds.append(Bound(variable(name, argument.sort)))
            continue
        low, high = argument.domain.low, add(argument.domain.high, constant(1))
        kind = kind_of(high)
        if argument.log:
            low, high = constant(0), view.leaf(argument.log + END, [bound.variable for bound in bounds])
        bounds.append(Bound(variable(name, INT, kind), low, high))
    return bounds


def refuse_empty(variables: Mapping[str, Domain]) -> None:
    """Refuse a protocol without state."""
    if not variables:
        raise Untranslatable("a protocol without state variables", "Annotate one: count: bool")
