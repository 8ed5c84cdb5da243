"""A protocol: state variables, bounds, actions and properties, written as one Python class.

An instance *is* a state: its attributes are ordinary Python values, and calling an action's method changes them. That
is the reference semantics. The compiler reads the same methods to build the expression graph.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
import string
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

from .annotations import hints, is_bookkeeping, is_ghost, refuse_unstored, resolve
from .bounds import DATACLASS, Bounds, no_bounds
from .display import shown_lines
from .domains import Domain, Leaf, MapDomain, Scalar
from .errors import (
    BoundsError,
    Disabled,
    EvaluationError,
    LanguageError,
    SourceLine,
    SpecificationError,
    require_printable,
    said,
    shown_count,
    shown_path,
    source_line,
)
from .functions import annotation_line, annotations_in, own_annotations
from .marks import Kind, Mark, has_no_other_side, is_unfair_to_each, mark_of, no_other_side, unfair_to_each
from .members import ActionInstance, Member, Parameter, Variable, inherited_mark, members_of
from .values import HOOKS, Map, Mutations, Unwritable, refuse_overridden

# -- class bodies -----------------------------------------------------------------------------------------------------
# What is wrong with the body of a protocol's class: two members of one name, marks on what is no method, odd values.
#
# Python keeps the last of two definitions with one name and says nothing; a guard or a property would be gone.


class Body(dict[str, Any]):
    """The names of a class body while it is run. Raises LanguageError where a method takes the name of another."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self.owner = owner

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        if type(before) is FunctionType and before is not value and _replaces(before, value):
            first = source_line(before)
            where = source_line(value) if type(value) is FunctionType else being_run(2)
            raise LanguageError(
                f"{self.owner} has two members named {name!r}: the first, in line {first.line}, would vanish",
                where,
                "Give one of them another name, or remove it.",
            )
        super().__setitem__(name, value)


class ProtocolType(type):
    """The class of protocol classes: it watches their bodies."""

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **_: Any) -> Body:
        return Body(name)

    def __new__(cls, name: str, bases: tuple[type, ...], names: dict[str, Any], /, **arguments: Any) -> ProtocolType:
        where = being_run(2, name)
        _refuse_hidden_marks(name, names, where)
        _refuse_odd_values(name, names, where)
        if "__module__" not in names:  # made by a call of type, which takes it from its own caller: this module
            names = {**names, "__module__": sys._getframe(1).f_globals.get("__name__", __name__)}
        return super().__new__(cls, name, bases, names, **arguments)


def being_run(up: int, function: str = "") -> SourceLine:
    """The line that is being run, `up` calls above."""
    frame = sys._getframe(up)
    return SourceLine(shown_path(frame.f_code.co_filename), frame.f_lineno, function or frame.f_code.co_name)


def _replaces(before: FunctionType, value: Any) -> bool:
    """Whether a new value of a name takes away what stood there: another function does, and whatever loses a mark."""
    if type(value) is FunctionType:
        return value.__code__ is not before.__code__ and inspect.unwrap(value) is not before
    return mark_of(before) is not None


def _refuse_hidden_marks(owner: str, names: Mapping[str, Any], where: SourceLine) -> None:
    for name, value in names.items():
        inner = _inside(value)
        mark = mark_of(inner)
        if mark is not None and mark_of(value) is None:
            raise LanguageError(
                f"{owner}.{name} is marked @{mark.kind}, but {type(value).__name__} hides the mark",
                source_line(inner) if type(inner) is FunctionType else where,
                f"Write @{mark.kind} directly above a plain method: def {name}(self, ...).",
            )


def _inside(value: Any) -> Any:
    """The function inside one of the usual wrappers, without running any code of theirs; None if there is none."""
    if type(value) in (staticmethod, classmethod):
        return value.__func__
    if type(value) is property:
        return value.fget
    if type(value) in (functools.partial, functools.partialmethod, functools.cached_property):
        return value.func
    if type(value) is FunctionType or isinstance(value, type):
        return None
    return inspect.getattr_static(value, "__wrapped__", None)


def _refuse_odd_values(owner: str, names: Mapping[str, Any], where: SourceLine) -> None:
    """Raise LanguageError for a `name`, `initial` or `bounds` that is not what these words mean."""
    if "name" in names and type(names["name"]) is not str:
        raise LanguageError(f"the name of {owner} is no text", where, 'Write name = "my-protocol", or leave it out.')
    if "initial" in names:
        found = names["initial"]
        if type(found) is not FunctionType:
            raise LanguageError(
                f"{owner}.initial is no plain method", where, "Write def initial(self): and set the variables there."
            )
        if found.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
            raise LanguageError(
                f"{owner}.initial is a generator or asynchronous, so calling it sets nothing",
                source_line(found),
                "Write def initial(self): and set the variables there, without yield, async or await.",
            )
    if "bounds" in names and "bounds" not in annotations_in(names):
        raise LanguageError(
            f"{owner}.bounds is a value",
            where,
            "Bounds are declared by their class, as an annotation: bounds: MyBounds.",
        )


# -- methods ----------------------------------------------------------------------------------------------------------
# What is wrong with the methods of a protocol that can be said as soon as its class is there.
#
# Later it would be said of the wrong line, where a rule is called, or only when a story is told.

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def refuse_odd_methods(cls: type, base: type) -> None:
    """Raise LanguageError for a rule that cannot stand in for the one of its name, or a text about no parameter.

    `base` is the class of all protocols.
    """
    for name in _new_in(cls, base):
        function = next(_inherited(cls, name))
        _refuse_borrowed_super(cls, function)
        if type(function) is not FunctionType or name.startswith("__"):
            continue
        mark = inherited_mark(cls, name)
        if mark is None and name in vars(cls) and not any(map(mark_of, _inherited(cls, name))):
            _refuse_other_signature(cls, name, function, base)
        elif mark is not None and mark.kind == "action":
            _refuse_odd_sentence(function, mark)
            _refuse_odd_fairness(function, mark)
            if has_no_other_side(mark):
                raise no_other_side(mark, _marked_at(function))
        elif mark is not None and mark.kind == "view":
            _refuse_odd_view(function, mark)


def _new_in(cls: type, base: type) -> list[str]:
    """The names that a class gives a meaning which none of its bases has: those have been judged.

    With several bases a method may take the place of one that its own class has never heard of.
    """
    judged = [_owners(one) for one in cls.__bases__ if issubclass(one, base)]
    return [name for name, owners in _owners(cls).items() if not any(one.get(name) == owners for one in judged)]


def _owners(cls: type) -> dict[str, list[type]]:
    """Which of a class and those it is derived from have a name, the nearest first."""
    found = dict[str, list[type]]()
    for owner in cls.__mro__:
        for name in vars(owner):
            found.setdefault(name, []).append(owner)
    return found


def borrowed_super(owner: type, cls: type) -> tuple[str, str] | None:
    """What is wrong with `super()` in a method of `owner` that a class has by assignment alone, and what to do.

    Python finds it out when the method is called, and raises a TypeError.
    """
    if owner in cls.__mro__:
        return None
    return (
        f"super() in a method of {owner.__name__}, from which {cls.__name__} is not derived: it has the method by an "
        "assignment",
        f"Derive {cls.__name__} from {owner.__name__}, or write the method in {cls.__name__} anew.",
    )


def _refuse_borrowed_super(cls: type, value: object) -> None:
    function = value.fget if isinstance(value, property) else value
    if type(function) is not FunctionType or "__class__" not in function.__code__.co_freevars:
        return
    cell = (function.__closure__ or ())[function.__code__.co_freevars.index("__class__")]
    if cell == CellType():  # it is filled when the class is made, as a mutant's is: with that class itself
        return
    owner = cell.cell_contents
    if borrowed := borrowed_super(owner, cls):
        raise LanguageError(borrowed[0], source_line(function), borrowed[1])


def _inherited(cls: type, name: str) -> Iterator[object]:
    """What a class and those it is derived from have by a name, the nearest first."""
    return (vars(owner)[name] for owner in cls.__mro__ if name in vars(owner))


def _marked_at(function: FunctionType) -> SourceLine:
    """Where the decorator of a method stands."""
    code = function.__code__
    return SourceLine(shown_path(code.co_filename), code.co_firstlineno, function.__name__)


def _refuse_other_signature(cls: type, name: str, function: FunctionType, base: type) -> None:
    """A rule is called by rules that the class inherits, with the arguments that the one it replaces takes."""
    before = next((one for one in list(_inherited(cls, name))[1:] if type(one) is FunctionType), None)
    if before is None or name in vars(base) or _accepts(function, before):
        return
    own, replaced = (f"({', '.join(inspect.signature(one).parameters)})" for one in (function, before))
    as_written = str(inspect.signature(before)).replace("'", "")  # annotations are text there
    raise LanguageError(
        f"{cls.__name__}.{name} takes {own}, and the rule that it replaces takes {replaced}",
        source_line(function),
        f"Write def {name}{as_written}: as {source_line(before)} has it.",
    )


def _accepts(function: FunctionType, before: FunctionType) -> bool:
    """Whether a rule takes all arguments with which another may be called."""
    taken = inspect.signature(before).parameters.values()
    placed = [one for one in taken if one.kind in POSITIONAL]
    named = {one.name: None for one in taken if one.kind is inspect.Parameter.KEYWORD_ONLY}
    needed = [one for one in placed if one.default is inspect.Parameter.empty]
    try:
        for count in (len(needed), len(placed)):
            inspect.signature(function).bind(*[None] * count, **named)
    except TypeError:
        return False
    return True


def _refuse_odd_sentence(function: FunctionType, mark: Mark) -> None:
    """`says` may name the parameters of its action, in braces."""
    parameters = list(inspect.signature(function).parameters)[1:]
    try:
        for _, name, form, conversion in string.Formatter().parse(mark.says):
            if name is not None and (name not in parameters or form or conversion):
                wrong = f"{name!r} is no parameter of it" if name not in parameters else f"{name} has a format"
                raise ValueError(wrong)
    except ValueError as error:
        raise LanguageError(
            f"the sentence {mark.says!r} of {function.__name__} cannot be filled in: {error}",
            source_line(function),
            f"In braces may stand only the parameters of the action: {', '.join(parameters) or 'none'}.",
        ) from error


def _refuse_odd_fairness(function: FunctionType, mark: Mark) -> None:
    """`each` names parameters of its action, which is fair."""
    if is_unfair_to_each(mark):
        raise unfair_to_each(_marked_at(function))
    parameters = list(inspect.signature(function).parameters)[1:]
    wrong = [name for name in mark.each or () if name not in parameters]
    if wrong:
        raise LanguageError(
            f"{function.__name__} is fair to each {wrong[0]!r}, which is no parameter of it",
            source_line(function),
            f"'each' names parameters of the action: {', '.join(parameters) or 'it has none'}.",
        )


def _refuse_odd_view(function: FunctionType, mark: Mark) -> None:
    """A view is of its one parameter, or of a word if it has none."""
    parameters = list(inspect.signature(function).parameters)[1:]
    if parameters not in ([], [mark.of]):
        raise LanguageError(
            f"the view {function.__name__} is of {mark.of!r}, and takes ({', '.join(parameters)})",
            source_line(function),
            f'Write @view(of="{parameters[0]}") above def {function.__name__}(self, {parameters[0]}: ...), or def '
            f"{function.__name__}(self).",
        )


V = TypeVar("V")
P = TypeVar("P", bound="Protocol")

ACTION_LIMIT = 20_000
LEAF_LIMIT = 10_000
EACH_LIMIT = 100_000
INITIAL_LIMIT = 1 << 24
TOLD_EVERY = 1 << 12


class Protocol(metaclass=ProtocolType):
    """Base class of every specification.

    Class attributes: `name` (how the protocol is called on the command line), `bounds` (its `Bounds` dataclass, as an
    annotation). Every other annotated attribute is a state variable.
    """

    name: ClassVar[str] = ""
    bounds: Bounds

    def __init_subclass__(cls) -> None:
        refuse_overridden(cls, Protocol, "protocol", HOOKS | {"__new__"})
        refuse_odd_methods(cls, Protocol)
        for text in (cls.__name__, cls.name):
            if isinstance(text, str):
                require_printable(text, "the name of a protocol")
        taken = sorted(name for name in (*vars(cls), *own_annotations(cls)) if name in _reserved())
        if taken:
            frame = sys._getframe(2)
            where = SourceLine(shown_path(frame.f_code.co_filename), frame.f_lineno, cls.__name__)
            found = vars(cls).get(taken[0])
            if isinstance(found, FunctionType):
                where = source_line(found)
            raise LanguageError(
                f"{cls.__name__} cannot have a variable or method named {taken[0]!r}, which every protocol has",
                where,
                "Give it another name.",
            )

    def __init__(self, bounds: Bounds | None = None, **named: int) -> None:
        """The protocol within bounds: `Kip320(replicas=3)`. What is not named has its default.

        Every variable has the first value of its domain; `initial_states` says where runs begin. Raises BoundsError
        for a bound that it does not have, or a value that the bound does not allow.
        """
        bounds_type = type(self).bounds_type()
        if bounds is not None and not isinstance(bounds, bounds_type):
            raise no_bounds(type(self).__name__, bounds_type, bounds)
        mutations = Mutations()
        self.__dict__.update(bounds=(bounds or bounds_type()).with_values(named), _mutations=mutations)
        for name, variable in self.variables.items():
            self.__dict__[name] = variable.domain.default(mutations)

    # -- what a subclass may define -------------------------------------------------------------------------------

    if TYPE_CHECKING:  # what a type checker sees: any parameters of `initial`, and the values of a class or alias

        def initial(self, *choices: Any, **named: Any) -> None: ...
        @overload
        def each(self, domain: type[V]) -> Iterable[V]: ...
        @overload
        def each(self, domain: Any) -> Iterable[Any]: ...
        def each(self, domain: Any) -> Iterable[Any]: ...
        @overload
        def member(self, domain: type[V], index: int) -> V: ...
        @overload
        def member(self, domain: Any, index: int) -> Any: ...
        def member(self, domain: Any, index: int) -> Any: ...

    else:

        def initial(self) -> None:
            """Set the initial state, from variables that hold the first value of their domain.

            With parameters there is one initial state for each choice that its `require`s allow.
            """

        def each(self, domain: Any) -> Iterable[Any]:
            """The values of a domain, in canonical order: `for r in self.each(Replica)`."""
            return self._listed(domain, "each")

        def member(self, domain: Any, index: int) -> Any:
            """One particular value of a domain. Of identifiers it breaks the symmetry: `--symmetry` is then refused."""
            values = self._listed(domain, "member")
            if not 0 <= index < len(values):
                raise EvaluationError(f"there is no member {index} among {len(values)} values")
            return values[index]

    def _listed(self, domain: Any, word: str) -> list[Any]:
        found = resolve(domain, self.bounds, word)
        if found.cardinality > EACH_LIMIT:
            many = shown_count(found.cardinality)
            raise LanguageError(
                f"{word} goes through the {many} values of {found}; at most {EACH_LIMIT:,} are allowed",
                advice="Use smaller bounds.",
            )
        return list(found.values())

    # -- declarations ---------------------------------------------------------------------------------------------

    @classmethod
    def bounds_type(cls) -> type[Bounds]:
        """The dataclass of bounds that the protocol declares."""
        found = cls._annotations().get("bounds", Bounds)
        if not (isinstance(found, type) and issubclass(found, Bounds)):
            raise LanguageError(f"{cls.__name__}.bounds must be a Bounds dataclass")
        known = {field.name for field in dataclasses.fields(found)}
        for name in found.declared():
            if name not in known:
                raise LanguageError(f"{found.__name__}.{name} is no field of a dataclass", advice=DATACLASS)
        return found

    @classmethod
    def _annotations(cls) -> dict[str, Any]:
        return hints(cls)

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The state variables in the order of their declaration, base classes first."""
        found: dict[str, Variable] = {}
        at = 0
        for name, annotation in self._annotations().items():
            if name == "bounds" or "ClassVar" in str(annotation):
                continue
            if any(name in vars(owner) for owner in type(self).__mro__):
                raise LanguageError(
                    f"{type(self).__name__}.{name} is a state variable, and has a value or a method of the same name",
                    annotation_line(type(self), name),
                    "Set the first value of a variable in initial, and give methods other names.",
                )
            domain = self._resolved(annotation, name)
            found[name] = Variable(name, domain, is_ghost(annotation), at, is_bookkeeping(annotation))
            at += domain.leaf_count
            if at > LEAF_LIMIT:
                raise LanguageError(
                    f"{type(self).__name__}.{name} makes a state of {at:,} values; it has room for {LEAF_LIMIT:,}",
                    annotation_line(type(self), name),
                    f"Use smaller bounds: {name} alone has {domain.leaf_count:,} ({domain}).",
                )
        return found

    def _resolved(self, annotation: Any, name: str) -> Domain:
        try:
            domain = resolve(annotation, self.bounds, f"{type(self).__name__}.{name}")
            refuse_unstored(domain, f"{type(self).__name__}.{name}")
            return domain
        except (LanguageError, BoundsError) as error:
            error.where = error.where or annotation_line(type(self), name)
            raise

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """The leaves of a state, with their full paths, in the order of the encoding."""
        return tuple(
            Leaf(name + leaf.path, leaf.domain)
            for name, variable in self.variables.items()
            for leaf in variable.domain.leaves
        )

    @classmethod
    def members(cls, kind: Kind) -> list[Member]:
        """The methods marked as `kind`, base classes first, each in the place of its first definition."""
        return members_of(cls, kind)

    def applies(self, member: Member) -> bool:
        """Whether a property is meant for these bounds and settings; where it is not, it must not happen."""
        condition = member.mark.only_if
        if condition is None:
            return True
        stateless = type(self).__new__(type(self))
        stateless.__dict__["bounds"] = self.bounds
        try:
            return bool(condition(stateless))
        except Exception as error:  # the condition is the user's code
            raise LanguageError(
                f"only_if of {member.name} cannot be decided before there is a state: {said(error)}",
                member.where,
                "It may depend on the bounds and on settings of the class, not on state variables.",
            ) from error

    def parameters(self, function: Callable[..., Any], skip: int = 1) -> tuple[Parameter, ...]:
        """The parameters of an action with their domains."""
        known = self._parameters_read.get((function, skip))
        if known is None:
            known = self._parameters_read[function, skip] = self._read_parameters(function, skip)
        return known

    @cached_property
    def _parameters_read(self) -> dict[tuple[Callable[..., Any], int], tuple[Parameter, ...]]:
        """What has been asked before: whoever tells of a run asks at each step."""
        return {}

    def _read_parameters(self, function: Callable[..., Any], skip: int) -> tuple[Parameter, ...]:
        names = list(inspect.signature(function).parameters)[skip:]
        annotations = hints(function, self._names)
        missing = [n for n in names if n not in annotations]
        if missing:
            raise LanguageError(
                f"parameter {missing[0]} of {function.__name__} has no domain",
                source_line(function),
                f"Annotate it: def {function.__name__}(self, {missing[0]}: Replica).",
            )
        try:
            return tuple(Parameter(n, resolve(annotations[n], self.bounds, f"{function.__name__}({n})")) for n in names)
        except (LanguageError, BoundsError) as error:
            error.where = error.where or source_line(function)
            raise

    @cached_property
    def _names(self) -> dict[str, Any]:
        """The names that annotations of methods may use besides those of their module."""
        return {name: value for owner in reversed(type(self).__mro__) for name, value in vars(owner).items()}

    @cached_property
    def instances(self) -> tuple[ActionInstance, ...]:
        """Every action with every choice of its parameters, in the canonical order of the specification."""
        found: list[ActionInstance] = []
        for action in self.members("action"):
            parameters = self.parameters(action.function)
            choices = math.prod(parameter.domain.cardinality for parameter in parameters)
            if len(found) + choices > ACTION_LIMIT:
                many = shown_count(choices)
                raise LanguageError(
                    f"{action.name} can be chosen in {many} ways; at most {ACTION_LIMIT:,} in all are allowed",
                    action.where,
                    "Use smaller bounds, or derive a parameter from the state.",
                )
            for arguments in itertools.product(*(p.domain.values() for p in parameters)):
                found.append(ActionInstance(len(found), action, parameters, arguments))
        return tuple(found)

    # -- states ---------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        variable = self.variables.get(name)
        if variable is None:
            known = ", ".join(self.variables)
            raise LanguageError(f"{type(self).__name__} has no state variable {name!r}; it has {known}")
        stored = variable.domain.stored(value, self._mutations, name)
        self._mutations.count += 1
        self.__dict__[name] = stored

    def __repr__(self) -> str:
        """The protocol, its bounds and its state in a line."""
        bounds = ", ".join(f"{name}={value}" for name, value in self.bounds.as_dict().items())
        return f"<{type(self).__name__}({bounds}): {'; '.join(str(self).splitlines())}>"

    def __str__(self) -> str:
        """The state in a few lines, as traces tell it."""
        return "\n".join(f"{head}: {text}" for head, text in shown_lines(self, self.codes()).items())

    _mutations: ClassVar[Mutations]

    def codes(self) -> tuple[int, ...]:
        """The current state as the codes of its leaves."""
        into: list[int] = []
        try:
            for name, variable in self.variables.items():
                variable.domain.flatten(self.__dict__[name], into)
        except (KeyError, AttributeError, TypeError) as error:
            raise no_state(self, error) from error
        return tuple(into)

    def load(self, codes: Sequence[int]) -> None:
        """Make the state with these codes the current one."""
        for name, variable in self.variables.items():
            self.__dict__[name] = variable.domain.unflatten(codes, variable.first_leaf, self._mutations)

    def at(self, codes: Sequence[int]) -> Self:
        """Another instance of the same protocol and bounds, in the state with these codes."""
        other = self._stateless()
        other.load(codes)
        return other

    def _stateless(self) -> Self:
        """Another instance of the same protocol and bounds, to be put in a state."""
        other = type(self).__new__(type(self))
        other.__dict__.update(bounds=self.bounds, _mutations=Mutations(), variables=self.variables, leaves=self.leaves)
        return other

    def initial_states(self, tell: Callable[[int], None] = lambda _: None) -> list[tuple[int, ...]]:
        """The codes of every initial state, without repetition, in canonical order. `tell` hears how many there are."""
        function = type(self).initial
        parameters = self.parameters(function)
        choices = math.prod(parameter.domain.cardinality for parameter in parameters)
        if choices > INITIAL_LIMIT:
            raise LanguageError(
                f"initial can be chosen in {shown_count(choices)} ways; at most {INITIAL_LIMIT:,} are tried",
                source_line(function),
                "Use smaller bounds, or derive a parameter from the others.",
            )
        zeros = [0] * len(self.leaves)
        found: dict[tuple[int, ...], None] = {}
        for arguments in itertools.product(*(p.domain.values() for p in parameters)):
            state = self.at(zeros)
            try:
                evaluated(function, state, *arguments)
            except Disabled:
                continue
            found[state.codes()] = None
            if len(found) % TOLD_EVERY == 0:
                tell(len(found))
        return list(found)

    def successors(self, codes: Sequence[int]) -> Iterator[tuple[ActionInstance, tuple[int, ...]]]:
        """The enabled steps from a state, in canonical order: the Python semantics of the specification.

        Raises EvaluationError at the first step that cannot be evaluated.
        """
        for instance, after in self.outcomes(codes):
            if isinstance(after, EvaluationError):
                raise after
            yield instance, after

    def outcomes(self, codes: Sequence[int]) -> Iterator[tuple[ActionInstance, tuple[int, ...] | EvaluationError]]:
        """The enabled steps from a state, in canonical order, and the failures of those that cannot be evaluated."""
        scratch = Scratch(self)
        for instance in self.instances:
            try:
                after = scratch.step(codes, instance)
            except EvaluationError as error:
                yield instance, error
            else:
                if after is not None:
                    yield instance, after

    @staticmethod
    def step(state: Protocol, instance: ActionInstance) -> tuple[int, ...] | None:
        """Take one step, changing `state`; the codes of the new state, or None if the action is not enabled there."""
        try:
            evaluated(instance.action.function, state, *instance.arguments)
        except Disabled:
            return None
        return state.codes()


# -- scratch ----------------------------------------------------------------------------------------------------------
# One instance on which many steps are tried: only what a step wrote is read from codes again, or told as codes.


class _Part:
    """A variable, or an entry of a map whose values are no scalars: what a scratch loads as a whole."""

    __slots__ = ("_map", "domain", "end", "entries", "first", "key", "loaded", "name", "of", "writes")

    def __init__(
        self, name: str, domain: Domain, first: int, written: set[_Part], of: _Part | None = None, key: Any = None
    ) -> None:
        self.name, self.domain, self.of, self.key = name, domain, of, key
        self.first, self.end = first, first + domain.leaf_count
        self.writes = _Writes(self, written)
        self.loaded: Any = None
        self.entries: tuple[_Part, ...] = ()
        self._map: MapDomain | None = None
        if of is None and isinstance(domain, MapDomain) and not isinstance(domain.value, Scalar):
            self._map = domain
            each = domain.value.leaf_count
            self.entries = tuple(
                _Part(name, domain.value, first + at * each, written, self, one) for at, one in enumerate(domain.keys)
            )

    def read(self, codes: Sequence[int]) -> Any:
        """The value that it has in the state with these codes; writes to it are noted."""
        if self._map is not None:
            return Map(self._map, {one.key: one.read(codes) for one in self.entries}, self.writes)
        return self.domain.unflatten(codes, self.first, self.writes)


class _Writes(Mutations):
    """Notes that a part is written to, instead of counting how often."""

    __slots__ = ("_part", "_written")

    def __init__(self, part: _Part, written: set[_Part]) -> None:
        self._part, self._written = part, written

    @property
    def count(self) -> int:
        """Nothing is counted."""
        return 0

    @count.setter
    def count(self, value: int) -> None:
        self._written.add(self._part)


class Scratch:
    """An instance on which steps are tried, one after the other. It is never handed out: the next step changes it."""

    def __init__(self, protocol: Protocol) -> None:
        self._state = protocol._stateless()
        self._codes: tuple[int, ...] | None = None
        self._written: set[_Part] = set()
        self._variables = [
            _Part(name, variable.domain, variable.first_leaf, self._written)
            for name, variable in protocol.variables.items()
        ]

    def step(self, codes: Sequence[int], instance: ActionInstance) -> tuple[int, ...] | None:
        """The codes of the state after a step, or None if the action is not enabled: as `Protocol.step` from `codes`.

        Where anything else interrupts it, the whole state is loaded anew for the next step.
        """
        before = self._load(tuple(codes))
        self._codes = None
        try:
            evaluated(instance.action.function, self._state, *instance.arguments)
            after = self._told(before)
        except Disabled:
            after = None
        self._codes = before
        return after

    def _load(self, codes: tuple[int, ...]) -> tuple[int, ...]:
        """Make the state with these codes the current one."""
        known, self._codes = self._codes, None
        changed = set(self._variables) if known is None else self._changed()
        if known is not None and known != codes:
            changed.update(self._differing(known, codes))
        values = self._state.__dict__
        for part in changed:
            if part.of is None:
                values[part.name] = part.loaded = part.read(codes)
            elif part.of not in changed:
                values[part.name]._values[part.key] = part.read(codes)
        self._written.clear()
        return codes

    def _changed(self) -> set[_Part]:
        """What was written to, or replaced, since it was loaded."""
        values = self._state.__dict__
        return self._written.union(part for part in self._variables if values.get(part.name, part) is not part.loaded)

    def _differing(self, known: tuple[int, ...], codes: tuple[int, ...]) -> Iterator[_Part]:
        """The parts that are not the same in two states."""
        for part in self._variables:
            if known[part.first : part.end] != codes[part.first : part.end]:
                for one in part.entries or (part,):
                    if known[one.first : one.end] != codes[one.first : one.end]:
                        yield one

    def _told(self, before: tuple[int, ...]) -> tuple[int, ...]:
        """The current state as codes, from those that were loaded."""
        found, values = list(before), self._state.__dict__
        changed = self._changed()
        try:
            for part in changed:
                if part.of not in changed:
                    value = values[part.name] if part.of is None else values[part.name]._values[part.key]
                    found[part.first : part.end] = part.domain.codes_of(value)
        except (KeyError, AttributeError, TypeError) as error:
            raise no_state(self._state, error) from error
        return tuple(found)


def to_read(protocol: P, codes: Sequence[int]) -> P:
    """The state with these codes, for several to read: whoever writes to it fails with a LanguageError."""
    state = protocol._stateless()
    state.__dict__["_mutations"] = Unwritable("a state that is read by several is written to")
    state.load(codes)
    return state


def no_state(state: Protocol, error: Exception) -> EvaluationError:
    """What is said of a state from which something was taken away."""
    return EvaluationError(f"{type(state).__name__} is no state any more ({said(error)})")


def evaluated(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a rule of a specification; any failure other than `Disabled` becomes an EvaluationError with its line."""
    try:
        return function(*arguments)
    except (Disabled, LanguageError, KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # rules are the user's code: whatever they raise is a finding about the rule
        where = line_of(error, function)
        message = error.message if isinstance(error, SpecificationError) else said(error)
        raise EvaluationError(message, where) from error


def line_of(error: BaseException, function: Callable[..., Any]) -> SourceLine:
    """The innermost line of the specification on the error's traceback."""
    language = inspect.getfile(Protocol).rsplit("protocol.py", 1)[0]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(language)]
    if not frames:
        return source_line(function)
    return SourceLine(shown_path(frames[-1].filename), frames[-1].lineno or 0, frames[-1].name)


def _reserved() -> frozenset[str]:
    """The names that a specification cannot use, because the language does."""
    return frozenset(n for n in vars(Protocol) if not n.startswith("__")) - {"name", "bounds", "initial"}
