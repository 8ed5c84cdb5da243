"""The leaves of a state as functions: of map keys, offsets in logs, and the members of sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .domains import Domain, Logs, Maps, Names, Numbers, Optional, Records, Sets, Truths, Untranslatable
from .terms import (
    BOOL,
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
    sure,
    variable,
)

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
