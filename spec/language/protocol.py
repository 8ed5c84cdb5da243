"""A protocol: state variables, bounds, actions and properties, written as one Python class.

An instance *is* a state: its attributes are ordinary Python values, and calling an action's method changes them. That
is the reference semantics. The compiler reads the same methods to build the expression graph.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, overload

from .annotations import hints, is_bookkeeping, is_ghost, resolve
from .bounds import DATACLASS, Bounds, no_bounds
from .class_bodies import ProtocolType
from .class_lines import annotation_line
from .display import shown_lines
from .domains import Domain, Leaf
from .errors import (
    BoundsError,
    Disabled,
    EvaluationError,
    LanguageError,
    SourceLine,
    SpecificationError,
    require_printable,
    said,
    shown_path,
    source_line,
)
from .hooks import HOOKS, refuse_overridden
from .marked import members_of
from .marks import Kind
from .members import ActionInstance, Member, Parameter, Variable
from .methods import refuse_odd_methods
from .values import Mutations

V = TypeVar("V")

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
        taken = sorted(name for name in (*vars(cls), *vars(cls).get("__annotations__", {})) if name in _reserved())
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
            raise LanguageError(
                f"{word} goes through the {found.cardinality:,} values of {found}; at most {EACH_LIMIT:,} are allowed",
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
            return resolve(annotation, self.bounds, f"{type(self).__name__}.{name}")
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
                raise LanguageError(
                    f"{action.name} can be chosen in {choices:,} ways; at most {ACTION_LIMIT:,} in all are allowed",
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
        self.__dict__[name] = variable.domain.stored(value, self._mutations, name)
        self._mutations.count += 1

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
            raise EvaluationError(f"{type(self).__name__} is no state any more ({said(error)})") from error
        return tuple(into)

    def load(self, codes: Sequence[int]) -> None:
        """Make the state with these codes the current one."""
        for name, variable in self.variables.items():
            self.__dict__[name] = variable.domain.unflatten(codes, variable.first_leaf, self._mutations)

    def at(self, codes: Sequence[int]) -> Self:
        """Another instance of the same protocol and bounds, in the state with these codes."""
        other = type(self).__new__(type(self))
        other.__dict__.update(bounds=self.bounds, _mutations=Mutations(), variables=self.variables, leaves=self.leaves)
        other.load(codes)
        return other

    def initial_states(self, tell: Callable[[int], None] = lambda _: None) -> list[tuple[int, ...]]:
        """The codes of every initial state, without repetition, in canonical order. `tell` hears how many there are."""
        function = type(self).initial
        parameters = self.parameters(function)
        choices = math.prod(parameter.domain.cardinality for parameter in parameters)
        if choices > INITIAL_LIMIT:
            raise LanguageError(
                f"initial can be chosen in {choices:,} ways; at most {INITIAL_LIMIT:,} are tried",
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
        """The enabled steps from a state, in canonical order: the Python reading of the specification.

        Raises EvaluationError at the first step that cannot be evaluated.
        """
        for instance, after in self.outcomes(codes):
            if isinstance(after, EvaluationError):
                raise after
            yield instance, after

    def outcomes(self, codes: Sequence[int]) -> Iterator[tuple[ActionInstance, tuple[int, ...] | EvaluationError]]:
        """The enabled steps from a state, in canonical order, and the failures of those that cannot be evaluated."""
        state = self.at(codes)
        for instance in self.instances:
            try:
                after = self.step(state, instance)
            except EvaluationError as error:
                yield instance, error
            else:
                if after is not None:
                    yield instance, after
            if state._mutations.count:
                state._mutations.count = 0
                state.load(codes)

    @staticmethod
    def step(state: Protocol, instance: ActionInstance) -> tuple[int, ...] | None:
        """Take one step, changing `state`; the codes of the new state, or None if the action is not enabled there."""
        try:
            evaluated(instance.action.function, state, *instance.arguments)
        except Disabled:
            return None
        return state.codes()


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
