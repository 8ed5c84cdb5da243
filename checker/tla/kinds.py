"""What values are, for TLA+: the kinds of the values of a specification, and its domains as sets that TLA+ names."""

from __future__ import annotations

import ast
import enum
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Union, get_args, get_origin

from epochal.spec.language import Identifier, LanguageError, Log, Map, Protocol, Set, Struct
from epochal.spec.language.annotations import Capacity, Identifiers, Integers, hints, resolve
from epochal.spec.language.bounds import Size
from epochal.spec.language.domains import Domain, IntegerDomain, LogDomain

from . import terms
from .terms import Term

# -- kinds ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """What a value is: its family, a prefix, class or fields, and the kinds of its parts.

    `domain` is the set of the values where a declaration says it, as TLA+ has it; kinds are equal without it.
    """

    family: str
    of: Any = None
    parts: tuple[Kind, ...] = ()
    domain: Declared | None = field(default=None, compare=False)

    @property
    def element(self) -> Kind:
        """The kind of the only part: of what may be none, of elements, of entries."""
        return self.parts[-1]

    @property
    def fields(self) -> dict[str, Kind]:
        """The kinds of the fields of a record."""
        return dict(zip(self.of.fields, self.parts, strict=True))


@dataclass(frozen=True, eq=False)
class Declared:
    """A domain that a specification declares: the set in TLA+, and the domain within the bounds."""

    term: Term
    within: Domain


INT, BOOL, NONE, NOTHING = Kind("int"), Kind("bool"), Kind("none"), Kind("nothing")


def is_record(kind: Kind) -> bool:
    """Whether this is a record, or a record or none."""
    return kind.family == "rec" or (kind.family == "opt" and kind.element.family == "rec")


# -- known values -----------------------------------------------------------------------------------------------------


class Names:
    """The names of a module: each belongs to one thing."""

    def __init__(self) -> None:
        self._taken: set[str] = set(RESERVED)

    def take(self, wanted: str) -> str:
        """A name for something, the one that is wanted if nothing else has it."""
        wanted = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in wanted)
        if not any(c.isalpha() for c in wanted) or wanted.startswith(("WF_", "SF_")):
            wanted = f"n_{wanted}"
        found, number = wanted, 1
        while found in self._taken:
            number += 1
            found = f"{wanted}_{number}"
        self._taken.add(found)
        return found

    def __contains__(self, name: str) -> bool:
        return name in self._taken


RESERVED = frozenset(
    [
        "ASSUME",
        "ASSUMPTION",
        "AXIOM",
        "CASE",
        "CHOOSE",
        "CONSTANT",
        "CONSTANTS",
        "DOMAIN",
        "ELSE",
        "ENABLED",
        "EXCEPT",
        "EXTENDS",
        "IF",
        "IN",
        "INSTANCE",
        "LET",
        "LOCAL",
        "MODULE",
        "OTHER",
        "UNION",
        "SUBSET",
        "THEN",
        "THEOREM",
        "UNCHANGED",
        "VARIABLE",
        "VARIABLES",
        "WITH",
        "LAMBDA",
        "RECURSIVE",
        "PROOF",
        "QED",
        "BY",
        "DEF",
        "DEFINE",
        "DEFS",
        "HAVE",
        "HIDE",
        "LEMMA",
        "NEW",
        "OBVIOUS",
        "OMITTED",
        "ONLY",
        "PICK",
        "PROPOSITION",
        "PROVE",
        "STATE",
        "SUFFICES",
        "TAKE",
        "TEMPORAL",
        "USE",
        "WITNESS",
        "ACTION",
        "COROLLARY",
        "BOOLEAN",
        "STRING",
        "TRUE",
        "FALSE",
        "Nat",
        "Int",
        "Real",
        "Infinity",
        "Seq",
        "Len",
        "Append",
        "Head",
        "Tail",
        "SubSeq",
        "SelectSeq",
        "Cardinality",
        "IsFiniteSet",
        "Print",
        "PrintT",
        "Assert",
        "JavaTime",
        "TLCGet",
        "TLCSet",
        "Permutations",
        "SortSeq",
        "RandomElement",
        "Any",
        "ToString",
        "TLCEval",
        "Init",
        "Next",
        "Spec",
        "vars",
        "TypeOK",
        "Symmetry",
        "None",
        "Min",
        "Max",
        "Sum",
        "Sorted",
        "BoundedSeq",
        "at_most",
        "SPECIFICATION",
        "INVARIANT",
        "INVARIANTS",
        "PROPERTY",
        "PROPERTIES",
        "CONSTRAINT",
        "CONSTRAINTS",
        "ACTION_CONSTRAINT",
        "SYMMETRY",
        "VIEW",
        "CHECK_DEADLOCK",
        "POSTCONDITION",
        "ALIAS",
        "INIT",
        "NEXT",
    ]
)
"""What TLA+, its standard modules, TLC's configuration and every exported module have."""


# -- domains ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IdentifierSet:
    """A set of identifiers that is a constant of the module, and the name of each of them within the bounds."""

    name: str
    members: tuple[str, ...]


class Domains:
    """The domains of a protocol within bounds, as TLA+ names them.

    `constants` are the sets of identifiers by prefix and size, `members` the names of all identifiers; `named` the
    definitions of domains that the specification
    gives a name to.
    """

    def __init__(self, protocol: Protocol, names: Names) -> None:
        self.protocol, self.names = protocol, names
        self.bounds = {name: names.take(name) for name, _ in protocol.bounds.items()}
        self.constants: dict[tuple[str, int], IdentifierSet] = {}
        self.members: dict[Identifier, str] = {}
        self.named: dict[str, Term] = {}
        self.enums: dict[type[enum.Enum], Term] = {}
        self.records: dict[type[Struct], Kind] = {}
        self.assumed: set[str] = set()
        self.variables: dict[str, Kind] = {}
        self.limits_of: dict[Term | str, Limited] = {}
        self.operators: dict[str, tuple[tuple[Term, ...], Term]] = {}
        self._aliases = dict(_aliases(type(protocol)))

    def __call__(self, annotation: Any) -> Kind:
        """The kind and the set of what an annotation stands for."""
        origin = get_origin(annotation)
        if origin is Annotated:
            return self._annotated(annotation)
        if origin in (Union, types.UnionType):
            other, *others = [part for part in get_args(annotation) if part is not type(None)]
            if others:
                raise LanguageError(
                    "TLA+ export: records of several classes in one set", advice="Keep a set for each class."
                )
            element = self(other)
            whole = terms.union(_term(element), terms.set_of([terms.name(terms.NONE_NAME)]))
            return self._kind("opt", None, (element,), annotation, whole)
        if origin is Set:
            element = self(get_args(annotation)[0])
            return self._kind("set", None, (element,), annotation, terms.call("SUBSET", _term(element)))
        if origin is Map:
            key, value = (self(part) for part in get_args(annotation))
            maps = terms.made("maps", (_term(key), _term(value)))
            return self._kind("map", None, (key, value), annotation, maps)
        if annotation is bool:
            return self._kind("bool", None, (), annotation, terms.name("BOOLEAN"))
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            return self._kind("enum", annotation, (), annotation, self._enum(annotation))
        if isinstance(annotation, type) and issubclass(annotation, Struct):
            return self.record(annotation)
        raise LanguageError(f"{annotation!r} is no domain that TLA+ has a set for")

    def _kind(self, family: str, of: Any, parts: tuple[Kind, ...], annotation: Any, term: Term) -> Kind:
        within = resolve(annotation, self.protocol.bounds, type(self.protocol).__name__)
        return Kind(family, of, parts, Declared(term, within))

    def record(self, kind: type[Struct]) -> Kind:
        """The kind of a class of records."""
        if kind not in self.records:
            read = hints(kind)
            parts = {name: self(read[name]) for name in kind.fields}
            of = terms.made("records", tuple(_term(part) for part in parts.values()), tuple(parts))
            self.named[name := self.names.take(kind.__name__)] = of
            self.records[kind] = self._kind("rec", kind, tuple(parts.values()), kind, terms.name(name))
        return self.records[kind]

    def _enum(self, kind: type[enum.Enum]) -> Term:
        if kind not in self.enums:
            self.named[name := self.names.take(kind.__name__)] = terms.set_of(terms.text(m._name_) for m in kind)
            self.enums[kind] = terms.name(name)
        return self.enums[kind]

    def _annotated(self, annotation: Any) -> Kind:
        base, *markers = get_args(annotation)
        for marker in markers:
            if isinstance(marker, Integers):
                limits = terms.interval(self.size(marker.low), self.size(marker.high))
                return self._kind("int", None, (), annotation, self._alias(annotation, limits))
            if isinstance(marker, Identifiers):
                return self._identifiers(annotation, marker)
            if isinstance(marker, Capacity):
                entry = self(get_args(base)[0])
                logs = terms.call("BoundedSeq", _term(entry), self.size(marker.entries))
                return self._kind("log", None, (entry,), annotation, logs)
        return self(base)

    def _alias(self, annotation: Any, term: Term) -> Term:
        """The name that the specification has for a domain, which is then defined; the set itself if it has none."""
        wanted = self._aliases.get(_key(annotation))
        if wanted is None:
            return term
        for name, known in self.named.items():
            if known is term and name.split("_")[0] == wanted:
                return terms.name(name)
        self.named[name := self.names.take(wanted)] = term
        return terms.name(name)

    def _identifiers(self, annotation: Any, marker: Identifiers) -> Kind:
        kind = self._kind("id", marker.prefix, (), annotation, terms.EMPTY)
        assert kind.domain is not None
        known = self.constants.get((marker.prefix, kind.domain.within.cardinality))
        if known is None:
            wanted = self._aliases.get(_key(annotation)) or f"{marker.prefix.capitalize()}Names"
            members = [self._member(value) for value in kind.domain.within.values()]
            known = IdentifierSet(self.names.take(wanted), tuple(members))
            self.constants[marker.prefix, len(members)] = known
        return Kind("id", marker.prefix, (), Declared(terms.name(known.name), kind.domain.within))

    def _member(self, value: Identifier) -> str:
        """The name of an identifier: the same in all sets that have it."""
        if value not in self.members:
            self.members[value] = self.names.take(repr(value))
        return self.members[value]

    def identifier(self, value: Identifier) -> Term:
        """One identifier by its name, which the module then declares."""
        if value not in self.members:
            raise LanguageError(f"TLA+ export: {value!r} is in no domain of the protocol")
        return terms.name(self.members[value])

    def order(self, prefix: str) -> Term:
        """The sequence of the identifiers of a prefix, as they are declared."""
        found = sorted((one for one in self.members if one.prefix == prefix), key=lambda one: one.index)
        return terms.sequence([terms.name(self.members[one]) for one in found])

    def size(self, size: int | Size) -> Term:
        """A number that may depend on the bounds."""
        if isinstance(size, int):
            return terms.integer(size)
        tree = ast.parse(size.text, mode="eval").body
        if any(isinstance(node, ast.Name) and node.id not in self.bounds for node in ast.walk(tree)):
            self.assumed.update(self.bounds.values())  # it is computed by the class of the bounds
            return terms.integer(size.at(self.protocol.bounds))
        return self._computed(tree)

    def _computed(self, node: ast.expr) -> Term:
        if isinstance(node, ast.Name):
            return terms.name(self.bounds[node.id])
        if isinstance(node, ast.BinOp):
            a, b = self._computed(node.left), self._computed(node.right)
            if isinstance(node.op, ast.Add | ast.Sub):
                return terms.add(a, b) if isinstance(node.op, ast.Add) else terms.sub(a, b)
            return terms.arithmetic("mul", a, b)
        return terms.integer(ast.literal_eval(node))


# -- limits -----------------------------------------------------------------------------------------------------------


Limited = tuple[int | None, int | None]
"""The least and the greatest that a number can be; None for what is not known."""
UNKNOWN: Limited = (None, None)


class Limits:
    """Between which numbers a term lies, as far as its parts tell; loops over numbers are written out by it."""

    def __init__(self, domains: Domains) -> None:
        self.domains = domains

    def __call__(self, term: Term) -> Limited:
        """Limits of a number, or of the numbers of a set."""
        op, args = term.op, term.args
        if op == "int":
            return term.value, term.value
        if op == "bound" or (op == "name" and term.value in self.domains.limits_of):
            return self.domains.limits_of.get(term if op == "bound" else term.value, UNKNOWN)
        if op == "name" and term.value in self.domains.named:
            return self(self.domains.named[term.value])
        if op in ("add", "sub", "mul"):
            return self._computed(op, *map(self, args))
        if op == "ite":
            return self._all(args[1:])
        if op in ("set", "union", "range"):
            return self._all(args)
        if op in ("intersection", "difference", "filter"):
            return self(args[1] if op == "filter" else args[0])
        if op in ("map", "let"):
            self.domains.limits_of[args[0]] = self(args[1])
            return self(args[2])
        if op == "domain":
            return 1, self._capacity(args[0])
        return self._of_call(term) if op == "call" or term.value in self.domains.operators else self._of_part(term)

    def _of_call(self, term: Term) -> Limited:
        """Limits of what an operator gives."""
        name, args = term.value, term.args
        if name in ("Min", "Max"):
            low, high = self(args[0])
            if args[0].op == "set":
                found = [self(one) for one in args[0].args]
                lows = [least for least, _ in found if least is not None]
                highs = [most for _, most in found if most is not None]
                low = max(lows, default=None) if name == "Max" else low
                high = min(highs, default=None) if name == "Min" else high
            return low, high
        if name == "Len":
            return 0, self._capacity(args[0])
        if name in ("Cardinality", "Sum"):
            return (0, None) if name == "Cardinality" else UNKNOWN
        operator = self.domains.operators.get(name)
        if operator is None:
            return UNKNOWN
        parameters, body = operator
        self.domains.limits_of.update(zip(parameters, map(self, args), strict=True))
        return self(body)

    def _of_part(self, term: Term) -> Limited:
        """Limits of a part of a variable."""
        kind = self.kind(term)
        if kind is not None and kind.family in ("opt", "set"):
            kind = kind.element
        within = kind.domain.within if kind is not None and kind.domain is not None else None
        return (within.low, within.high) if isinstance(within, IntegerDomain) else UNKNOWN

    def _computed(self, op: str, one: Limited, other: Limited) -> Limited:
        if op == "add":
            return _plus(one[0], other[0]), _plus(one[1], other[1])
        if op == "sub":
            return _plus(one[0], _minus(other[1])), _plus(one[1], _minus(other[0]))
        factors = [number for number in (*one, *other) if number is not None]
        if len(factors) < 4:
            return UNKNOWN
        products = [a * b for a in factors[:2] for b in factors[2:]]
        return min(products), max(products)

    def _all(self, of: tuple[Term, ...]) -> Limited:
        found = [self(one) for one in of]
        lows, highs = ([one[n] for one in found] for n in (0, 1))
        low = min(number for number in lows if number is not None) if lows and None not in lows else None
        return low, max(number for number in highs if number is not None) if highs and None not in highs else None

    def _capacity(self, log: Term) -> int | None:
        if log.op == "seq":
            return len(log.args)
        if log.op == "ite":
            found = [self._capacity(one) for one in log.args[1:]]
            known = [one for one in found if one is not None]
            return max(known) if len(known) == len(found) else None
        if log.op == "call" and log.value in ("Append", "SubSeq"):
            inner = self._capacity(log.args[0])
            return inner if inner is None or log.value == "SubSeq" else inner + 1
        if log.op == "concat":
            return _plus(*map(self._capacity, log.args))
        kind = self.kind(log)
        within = kind.domain.within if kind is not None and kind.domain is not None else None
        return within.capacity if isinstance(within, LogDomain) else None

    def kind(self, term: Term) -> Kind | None:
        """The kind of a part of a variable."""
        if term.op == "name":
            return self.domains.variables.get(term.value)
        if term.op == "except":
            return self.kind(term.args[0])
        if term.op == "prime":
            return self.kind(term.args[0])
        if term.op == "ite":
            return self.kind(term.args[1])
        if term.op in ("field", "index"):
            kind = self.kind(term.args[0])
            if kind is not None and kind.family == "opt":
                kind = kind.element
            if kind is None:
                return None
            if term.op == "field":
                return kind.fields.get(term.value) if kind.family == "rec" else None
            return kind.element if kind.family in ("map", "log") else None
        return None


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _minus(a: int | None) -> int | None:
    return None if a is None else -a


def _term(kind: Kind) -> Term:
    assert kind.domain is not None
    return kind.domain.term


def _key(annotation: Any) -> str:
    return repr(annotation)


def _aliases(kind: type[Protocol]) -> Iterator[tuple[str, str]]:
    """The names that the modules of a protocol have for annotations: `Epoch = Annotated[int, Integers(...)]`."""
    for owner in kind.__mro__:
        module = sys.modules.get(owner.__module__)
        if module is None or owner in (Protocol, object) or owner.__module__.startswith("epochal.spec.language"):
            continue
        found: Mapping[str, Any] = {**vars(module), **vars(owner)}
        for name, value in found.items():
            if (
                get_origin(value) is Annotated
                and not name.startswith("_")
                and get_origin(get_args(value)[0]) is not Log
            ):
                yield _key(value), name
