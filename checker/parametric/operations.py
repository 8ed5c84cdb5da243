"""What a rewritten rule calls in place of Python's own control flow, for every choice of the bounds."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

from epochal.spec.language import Bounds, Disabled, EvaluationError, Identifier, Protocol, Set, Struct, bounded, require
from epochal.spec.language.errors import LanguageError, SpecificationError, undefined
from epochal.spec.language.protocol import borrowed_super

from ..compile.source.admitted import PURE_FUNCTIONS, unfit
from ..compile.source.rewrite import LINES
from ..compile.source.state_proxy import Assigned, StateProxy
from .domains import AnyBounds, Domain, Domains, Numbers, PathEnds, Untranslatable, View, names_of
from .loops import Generator, Range, Reversed, Universe, loop, used
from .pieces import KnownPieces
from .terms import (
    FALSE,
    TRUE,
    Bound,
    Candidates,
    Term,
    add,
    and_,
    constant,
    count,
    eq,
    exists,
    extreme,
    forall,
    implies,
    ite,
    le,
    lt,
    not_,
    or_,
    substitute,
)
from .values import (
    Choice,
    Joined,
    LogPlace,
    MapPlace,
    Members,
    Named,
    Number,
    Perhaps,
    Place,
    Record,
    RecordPlace,
    Run,
    Slice,
    Truth,
    Unusable,
    Value,
    condition,
    either,
    equal,
    is_number,
    is_truth,
    kept,
    number,
    number_of,
    read,
    taken_record,
    truth,
    write,
)

Thunk = Callable[[], Any]
ENDED = object()
"""What a path gives that does not come to its end."""


class Operations(KnownPieces):
    """The operations that rules call. `run` is exchanged between rules; `calls` and the like are set from outside."""

    def __init__(self) -> None:
        self.run = Run("", None)
        self.calls: Callable[..., Any] = _nothing
        self.attribute: Callable[[Any, str], Any] = _nothing
        self.super_: Callable[[type, Any], Any] = _nothing

    def condition(self, value: Any) -> Term:
        """The truth of a value."""
        if isinstance(value, LogPlace | MapPlace | Range | Reversed | Generator):
            self.run.refuse(f"the truth of {value.described}", "Write len(...) > 0.")
        return condition(self.run, value)

    # -- where ----------------------------------------------------------------------------------------------------

    def at(self, token: int) -> None:
        """The line now being run."""
        self.run.where = LINES[token]

    def call(self, token: int, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call something, and come back to the caller's line."""
        self.at(token)
        result = self.calls(function, *arguments, **named)
        self.at(token)
        return result

    # -- statements -----------------------------------------------------------------------------------------------

    @property
    def unset(self) -> Unusable:
        """The value of a local variable before its first assignment."""
        return Unusable(
            self.run, "a variable that is not assigned on every path", "Assign it before the if, or in each branch."
        )

    def local(self, value: Any) -> Any:
        """A local variable that is read where a path may not have assigned it."""
        if isinstance(value, Unusable):
            value.refuse()
        return value

    def branch(self, test: Any, then: Thunk, orelse: Thunk, get: Thunk, put: Callable[[Any], None]) -> Any:
        """Run one branch, or both under their conditions and join what they leave: locals, state and result."""
        run, view = self.run, self.run.written
        on = self.condition(test)
        if on.op == "const":
            return then() if on.value else orelse()
        before, leaves = get(), dict(view.leaves) if view is not None else {}
        first = second = ENDED
        with run.under(on):
            first = then()
        locals_first, leaves_first = get(), dict(view.leaves) if view is not None else {}
        put(before)
        if view is not None:
            view.leaves = dict(leaves)
        with run.under(not_(on)):
            second = orelse()
        if first is ENDED and second is ENDED:
            raise PathEnds
        if first is ENDED:
            return second
        if second is ENDED:
            put(locals_first)
            if view is not None:
                view.leaves = leaves_first
            return first
        if view is not None:
            view.joined(on, leaves_first)
        put(tuple(either(run, on, a, b) for a, b in zip(locals_first, get(), strict=True)))
        return either(run, on, first, second)

    def loop(self, source: Any, body: Callable[[Any], None], get: Thunk, put: Callable[[Any], None]) -> None:
        """A `for` loop."""
        loop(self.run, source, body, get, put)

    def loop_until(self, source: Any, body: Callable[[Any], Any], get: Thunk, put: Callable[[Any], None]) -> None:
        """A `for` loop whose body says whether to go on: it may stop among elements that are known."""
        going = TRUE

        def one(item: Any) -> None:
            nonlocal going
            if self.run.loops:
                if self.condition(body(item)) is not TRUE:
                    self.run.refuse("a loop over elements of the state that is left", "Write any, all, min or max.")
                return
            goes_on = self.branch(truth(self.run, going), lambda: body(item), lambda: True, get, put)
            going = and_(going, self.condition(goes_on))

        loop(self.run, source, one, get, put)

    def while_(self, test: Thunk, body: Thunk, get: Thunk, put: Callable[[Any], None]) -> NoReturn:
        """`while`."""
        self.run.refuse("a while loop", "Write a for loop, all, any, min or max.")

    # -- connectives ----------------------------------------------------------------------------------------------

    def and_(self, first: Any, *others: Thunk) -> Any:
        """`and`: later operands are evaluated only where the earlier ones are true."""
        total = self.condition(first)
        for operand in others:
            if total is FALSE:
                break
            value = FALSE
            with self.run.operand(total):
                value = self.condition(operand())
            total = and_(total, value)
        return truth(self.run, total)

    def or_(self, first: Any, *others: Thunk) -> Any:
        """`or`: later operands are evaluated only where the earlier ones are false."""
        total = self.condition(first)
        for operand in others:
            if total is TRUE:
                break
            value = FALSE
            with self.run.operand(not_(total)):
                value = self.condition(operand())
            total = or_(total, value)
        return truth(self.run, total)

    def and_value(self, first: Any, *others: Thunk) -> Any:
        """`and` whose value is used: of truth values."""
        return self.and_(self._truth(first), *(lambda one=one: self._truth(one()) for one in others))

    def or_value(self, first: Any, *others: Thunk) -> Any:
        """`or` whose value is used: of truth values."""
        return self.or_(self._truth(first), *(lambda one=one: self._truth(one()) for one in others))

    def _truth(self, value: Any) -> Any:
        if not is_truth(value):
            self.run.refuse("and or or between values that are no truth values", "Compare them, or use if and else.")
        return value

    def not_(self, value: Any) -> Any:
        """`not`."""
        return truth(self.run, not_(self.condition(value)))

    def choose(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        """A conditional expression."""
        run, on = self.run, self.condition(test)
        if on.op == "const":
            return then() if on.value else orelse()
        first = second = ENDED
        with run.operand(on):
            first = then()
        with run.operand(not_(on)):
            second = orelse()
        if first is ENDED and second is ENDED:
            raise PathEnds
        return second if first is ENDED else first if second is ENDED else either(run, on, first, second)

    # -- comparisons ----------------------------------------------------------------------------------------------

    def eq(self, a: Any, b: Any) -> Any:
        """`==`."""
        return truth(self.run, self._equal(a, b))

    def ne(self, a: Any, b: Any) -> Any:
        """`!=`."""
        return truth(self.run, not_(self._equal(a, b)))

    def is_(self, a: Any, b: Any) -> Any:
        """`is`, which the language has for None, truth values and members of enumerations."""
        single = Truth | Choice | bool | enum.Enum
        if a is not None and b is not None and not (isinstance(a, single) and isinstance(b, single)):
            self.run.refuse("is between values of which there may be several", "Write == instead.")
        return truth(self.run, self._equal(a, b))

    def _equal(self, a: Any, b: Any) -> Term:
        a, b = (taken_record(self.run, value) for value in (a, b))
        return equal(self.run, a, b)

    def chain(self, first: Any, *rest: tuple[Callable[[Any, Any], Any], Thunk]) -> Any:
        """A chained comparison: each operand is evaluated once, and only where the comparisons before are true."""
        total, left = TRUE, first
        for compare, operand in rest:
            holds = FALSE
            with self.run.operand(total):
                right = operand()
                holds = self.condition(compare(left, right))
                left = right
            total = and_(total, holds)
            if total is FALSE:
                break
        return truth(self.run, total)

    def contains(self, item: Any, container: Any) -> Any:
        """`in`."""
        run = self.run
        if isinstance(container, Members):
            return truth(run, self._member(item, container))
        if isinstance(container, frozenset | set) and not container:
            return False
        if isinstance(container, Range):
            if not is_number(item):
                run.refuse("something that is no integer in a range", "Look for an integer.")
            wanted = number_of(run, item)
            return truth(run, and_(le(container.low, wanted), lt(wanted, container.high)))
        if not isinstance(container, Generator | LogPlace | tuple | list):
            shown = container.described if isinstance(container, Value) else f"a {type(container).__name__}"
            run.refuse(f"`in` with {shown}", "Look for it with any(... == ...).")
        found = used(run, container, lambda one: self._equal(item, one))
        return truth(run, or_(*(exists(bounds, and_(present, same)) for bounds, present, same in found)))

    def _member(self, item: Any, container: Members) -> Term:
        if container.element is None:
            return FALSE
        if isinstance(item, Perhaps):
            return and_(item.there, self._member(item.element, container))
        if item is None:
            return FALSE
        if isinstance(container.element, Numbers):
            wanted = number_of(self.run, item)
            return and_(container.element.has(wanted), container.has([wanted]))
        if not isinstance(item, Named) or item.term.sort != container.element.sort:
            self.run.refuse("something that is no such identifier in a set", "Look for an identifier of the same kind.")
        return container.has([item.term])

    def excludes(self, item: Any, container: Any) -> Any:
        """`not in`."""
        return truth(self.run, not_(self.condition(self.contains(item, container))))

    # -- what is made ---------------------------------------------------------------------------------------------

    def comprehension(self, source: Any, test: Any, element: Any, nested: bool) -> Generator:
        """A generator expression."""
        return Generator(self.run, source, test, element, nested)

    def list_of(self, items: Any) -> NoReturn:
        """A list comprehension."""
        self.run.refuse("a list comprehension", "Write the generator where its elements are used: all(... for ...).")

    def set_of(self, items: Any) -> Members:
        """A set of identifiers, of those that are named or that a generator gives, or of numbers out of a range."""
        run, found, element = self.run, [], None
        every = used(run, items, _element)
        for bounds, present, value in every:
            if isinstance(value, Number) and [bound.variable for bound in bounds] == [value.term] and len(every) == 1:
                return _chosen(run, bounds[0], present)
            if not isinstance(value, Named):
                shown = value.described if isinstance(value, Value) else repr(value)
                run.refuse(
                    f"a set of {shown}",
                    "Make sets of identifiers, and of numbers by Set(x for x in self.each(...) if ...).",
                )
            found.append((bounds, present, value.term))
        sorts = {term.sort for _, _, term in found}
        if len(sorts) > 1:
            run.refuse("a set of identifiers of different kinds", "Keep them in two sets.")
        if sorts:
            element = names_of(sorts.pop())
        return Members(run, element, lambda m: or_(*(_is_made(m[0], bounds, p, term) for bounds, p, term in found)))

    def taken(self, value: Any) -> Any:
        """A value that is kept beside the state, before the state changes."""
        return kept(self.run, value)

    def unpacked(self, value: Any) -> Any:
        """A value that an assignment takes apart."""
        return self.parts(value, len(value) if isinstance(value, tuple | list) else 0)

    def parts(self, value: Any, count: int) -> Any:
        """The parts of a tuple."""
        if not isinstance(value, tuple | list) or len(value) != count:
            self.run.refuse("what is taken apart here", "Name the whole, and use its parts.")
        return value

    # -- assignments ----------------------------------------------------------------------------------------------

    def with_fields(self, target: Any) -> Any:
        """What an assignment to a field changes, which must be a part of the state."""
        if isinstance(target, RecordPlace | StateProxy):
            return Assigned(target)
        self.run.refuse("assignment to a field of something that is no part of the state", "Assign a new value.")

    def with_entries(self, target: Any) -> Any:
        """What an assignment to an entry changes, which must be a part of the state."""
        if isinstance(target, MapPlace | LogPlace) and not isinstance(target, Slice):
            return target
        self.run.refuse("assignment to an entry of something that is no part of the state", "Assign a new value.")

    def update_field(self, owner: Any, name: str, operator: Callable[[Any, Any], Any], value: Thunk) -> None:
        """`owner.name += value`, and the like."""
        assigned = self.with_fields(owner)
        old = self._to_replace(self.attribute(owner, name))
        setattr(assigned, name, operator(old, value()))

    def update_entry(self, owner: Any, key: Any, operator: Callable[[Any, Any], Any], value: Thunk) -> None:
        """`owner[key] += value`, and the like."""
        old = self._to_replace(self.with_entries(owner)[key])
        owner[key] = operator(old, value())

    def _to_replace(self, value: Any) -> Any:
        """The old value at a place of the state: of a log a new one is made."""
        return value if isinstance(value, LogPlace) else self.augmented(value)

    def augmented(self, value: Any) -> Any:
        """The old value in an augmented assignment."""
        if isinstance(value, list | dict | set | Place | Joined):
            self.run.refuse("a change in place by an augmented assignment", "Assign a new value.")
        return self.local(value)

    # -- operators ------------------------------------------------------------------------------------------------

    def product(self, a: Any, b: Any) -> Any:
        """`*`."""
        if not (is_number(a) and is_number(b)):
            self.run.refuse("a product of something else than numbers", "Multiply numbers.")
        return a * b

    def modulo(self, a: Any, b: Any) -> Any:
        """`%`."""
        return self._of_known(a, b, "%", lambda: a % b)

    def power(self, a: Any, b: Any) -> Any:
        """`**`."""
        return self._of_known(a, b, "**", lambda: a**b)

    def shifted(self, a: Any, b: Any) -> Any:
        """`<<`."""
        return self._of_known(a, b, "<<", lambda: a << b)

    def _of_known(self, a: Any, b: Any, sign: str, compute: Thunk) -> Any:
        if type(a) is not int or type(b) is not int:
            self.run.refuse(f"{sign} with values of the state", "Use + and -, and products with known numbers.")
        return compute()

    # -- built in -------------------------------------------------------------------------------------------------

    def built_ins(self) -> dict[Any, Callable[..., Any]]:
        """The built-in functions by the objects that rules call; `Struct` stands for every class of records."""
        return {
            require: lambda holds: self._require(holds, "require"),
            bounded: lambda holds: self._require(holds, "bounded"),
            all: self._all,
            any: self._any,
            min: lambda *a, **n: self._extreme(False, *a, **n),
            max: lambda *a, **n: self._extreme(True, *a, **n),
            len: self._len,
            range: self._range,
            Set: self._set,
            set: self._set,
            frozenset: self._set,
            bool: lambda value: truth(self.run, self.condition(value)),
            Struct: self._struct,
            sum: self._no("sum", "Say what it counts with all and any, or a position with min or max."),
            next: self._no("next", "Write min or max, or any."),
            abs: self._no("abs", "Compare both differences."),
            sorted: self._no("sorted", "Say with all and any what the order is for."),
            reversed: self._reversed,
            enumerate: self._no("enumerate", "Go through range(len(...))."),
            zip: self._no("zip", "Go through range(len(...))."),
            list: self._no("list", "Use the generator or the log itself."),
            tuple: self._no("tuple", "Use the generator or the log itself."),
            int: self._no("int", "Write 1 if ... else 0."),
        }

    def _no(self, name: str, advice: str) -> Callable[..., NoReturn]:
        def refuse(*arguments: Any, **named: Any) -> NoReturn:
            self.run.refuse(name, advice)

        return refuse

    def _require(self, holds: Any, word: str) -> None:
        self.run.require(self.condition(holds), word)

    def _all(self, items: Any) -> Any:
        found = used(self.run, items, self.condition)
        return truth(self.run, and_(*(forall(b, implies(present, holds)) for b, present, holds in found)))

    def _any(self, items: Any) -> Any:
        found = used(self.run, items, self.condition)
        return truth(self.run, or_(*(exists(b, and_(present, holds)) for b, present, holds in found)))

    def _extreme(self, greatest: bool, /, *arguments: Any, **named: Any) -> Any:
        run = self.run
        if set(named) - {"default"} or (named and len(arguments) != 1):
            run.refuse("min or max with such arguments", "Write a generator of numbers, and default=.")
        if len(arguments) > 1:
            result, *others = [number_of(run, one) for one in arguments]
            for one in others:
                result = ite(le(one, result) if not greatest else le(result, one), one, result)
            return number(run, result)
        found = used(run, arguments[0], lambda one: number_of(run, one))
        candidates = [Candidates(bounds, present, value) for bounds, present, value in found]
        some = or_(*(one.some for one in candidates))
        if "default" not in named:
            run.fail_if(not_(some), "min or max of nothing")
        default = number_of(run, named.get("default", 0))
        return number(run, extreme(greatest, candidates, default) if candidates else default)

    def _len(self, value: Any) -> Any:
        run = self.run
        if isinstance(value, LogPlace):
            return number(run, value.end)
        if isinstance(value, Members):
            if value.element is None:
                return 0
            bound = value.any()
            return number(run, count(bound, value.has([bound.variable])))
        if isinstance(value, tuple | list | range | frozenset | set):
            return len(value)
        shown = value.described if isinstance(value, Value) else f"a {type(value).__name__}"
        run.refuse(f"the length of {shown}", "Use len of logs and sets.")

    def _range(self, *limits: Any) -> Any:
        run = self.run
        if all(type(limit) is int for limit in limits):
            return range(*limits)
        if len(limits) > 2:
            run.refuse("a range with a step", "Leave out numbers by an if.")
        low, high = limits if len(limits) == 2 else (0, limits[0])
        return Range(run, number_of(run, low), number_of(run, high))

    def _reversed(self, items: Any) -> Any:
        if not isinstance(items, Range | range):
            self.run.refuse("reversed of anything but a range", "Go forward, or write max.")
        return Reversed(self.run, items)

    def _set(self, items: Any = ()) -> Any:
        if isinstance(items, Members):
            return items
        if isinstance(items, frozenset | set) and not items:
            return self.set_of([])
        if not isinstance(items, Value | tuple | list):
            self.run.refuse(f"a set of a {type(items).__name__}", "Write Set(x for x in ...).")
        return self.set_of(items)

    def _struct(self, kind: type[Struct], /, *arguments: Any, **named: Any) -> Any:
        run = self.run
        made = kind(*arguments, **named)  # says which fields there are
        values = dict(zip(made.fields, made.field_values(), strict=True))
        if any(isinstance(value, Place | Generator) for value in values.values()):
            run.refuse("a part of the state inside a new record", "Give the new record values: numbers, sets, names.")
        return Record(run, kind, values)


def _element(value: Any) -> Any:
    """What a set is made of; evaluation fails where it may be none."""
    return value.needed() if isinstance(value, Perhaps) else value


def _chosen(run: Run, bound: Bound, present: Term) -> Members:
    """The set of those numbers of a range for which a condition is true."""
    numbers = Numbers(bound.low, add(bound.high, constant(-1)))
    return Members(run, numbers, lambda member: substitute(present, {bound.variable: member[0]}))


def _is_made(member: Term, bounds: tuple[Bound, ...], present: Term, made: Term) -> Term:
    """That an identifier is among those that a generator makes; of one that only leaves some out, that it is kept."""
    if len(bounds) == 1 and bounds[0].variable is made:
        return substitute(present, {made: member})
    return exists(bounds, and_(present, eq(made, member)))


def _nothing(*arguments: Any, **named: Any) -> Any:
    raise TypeError("no rule is being read")


# -- calls ------------------------------------------------------------------------------------------------------------
# Names and calls in rules: what `self` is, what an attribute is, and what happens when something is called.

CALL_DEPTH = 100
SUSPECT = (TypeError, AttributeError, ValueError, LookupError, ArithmeticError, AssertionError)
"""What Python raises where a rule uses values of other kinds than it means."""

OWN_MODULES = "epochal.checker.parametric."


class Calls:
    """Dispatches calls and reads attributes for the rules of a protocol. `rewrite` makes a function's readable form."""

    def __init__(
        self,
        protocol: type[Protocol],
        domains: Domains,
        variables: dict[str, Domain],
        operations: Operations,
        rewrite: Callable[[FunctionType], FunctionType],
    ) -> None:
        self.protocol, self.domains, self.variables = protocol, domains, variables
        self.operations, self._rewrite = operations, rewrite
        self._rules: dict[FunctionType, FunctionType] = {}
        self._made: set[FunctionType] = set()
        self._depth = 0
        self._builtins = operations.built_ins()
        operations.calls = self
        operations.attribute = self.attribute
        operations.super_ = lambda owner, state: SuperState(self, owner, state)

    def rule(self, function: FunctionType) -> FunctionType:
        """The readable form of a function of the specification."""
        if function not in self._rules:
            self._rules[function] = self._rewrite(function)
            self._made.add(self._rules[function])
        return self._rules[function]

    def __call__(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Call what a rule calls."""
        run = self.operations.run
        for argument in (*arguments, *named.values()):
            if isinstance(argument, Unusable):
                argument.refuse()
        try:
            built_in = self._builtins.get(function)
        except (TypeError, Untranslatable):
            built_in = None
        if built_in is not None:
            return self._enter(built_in, *arguments, **named)
        if isinstance(function, type) and issubclass(function, Struct):
            return self._enter(self._builtins[Struct], function, *arguments, **named)
        target = function.__func__ if isinstance(function, MethodType) else function
        if isinstance(target, FunctionType):
            if self.operations.is_inner(target) or target in self._made or target.__module__.startswith(OWN_MODULES):
                return self._enter(function, *arguments, **named)
            if not target.__module__.startswith("epochal.spec.language"):
                bound = (function.__self__, *arguments) if isinstance(function, MethodType) else arguments
                return self._enter(self.rule(target), *bound, **named)
        known = not any(isinstance(one, Value | StateProxy | AnyBounds) for one in (*arguments, *named.values()))
        if known and not unfit(function) and any(function is pure for pure in PURE_FUNCTIONS):
            return self._enter(function, *arguments, **named)
        name = getattr(function, "__name__", repr(function))
        run.refuse(f"a call of {name}", "Use all, any, min, max, len, range, Set, records and helper functions.")

    def _enter(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        run = self.operations.run
        if self._depth >= CALL_DEPTH:
            run.refuse("rules that call each other without end", "Write it without recursion.")
        self._depth += 1
        try:
            return function(*arguments, **named)
        except (Untranslatable, PathEnds):
            raise
        except (Disabled, EvaluationError) as error:
            run.refuse(f"what this call raises ({error})", "Write require(...) with the condition.")
        except SpecificationError:
            raise
        except NameError as error:
            run.refuse(f"this call ({type(error).__name__}: {error})", undefined(error))
        except SUSPECT as error:
            run.refuse(
                f"this call ({type(error).__name__}: {error})", "Use names and values of the kinds that are meant."
            )
        finally:
            self._depth -= 1

    # -- attributes -----------------------------------------------------------------------------------------------

    def attribute(self, owner: Any, name: str) -> Any:
        """An attribute that a rule reads."""
        run = self.operations.run
        if isinstance(owner, StateProxy):
            return owner.read(name)
        if isinstance(owner, AnyBounds):
            if name in owner.numbers:
                return Number(run, owner.numbers[name])
            method = inspect.getattr_static(owner.kind, name, None)  # no class or static method: those have no bounds
            if isinstance(method, FunctionType) and not name.startswith("_") and name not in vars(Bounds):
                return MethodType(self.rule(method), owner)
            run.refuse(f"{name} of the bounds", f"Use {', '.join(owner.numbers)} themselves.")
        if isinstance(owner, Value):
            return owner.field(name)
        if isinstance(owner, Struct) and name in type(owner).fields:
            return owner.__dict__[name]
        if _is_settings(owner) and name in {field.name for field in fields(owner)}:
            found = getattr(owner, name)
            if not unfit(found):
                return found
        if isinstance(owner, enum.Enum) and name in ("name", "value"):
            return getattr(owner, name)
        if isinstance(owner, ModuleType | type) and not isinstance(owner, Identifier | Bounds):
            found = getattr(owner, name, None)
            if found is not None and not unfit(found):
                return found
        run.refuse(f"{name} of a {type(owner).__name__}", "Keep what a rule needs in variables, bounds and constants.")

    def method(self, owner: type, name: str, state: StateProxy) -> Any:
        """What a class defines under a name, for a state: a rule, the value of a property, or a constant."""
        found = vars(owner).get(name)
        if isinstance(found, FunctionType):
            return MethodType(self.rule(found), state)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return self(MethodType(self.rule(found.fget), state))
        if isinstance(found, staticmethod):
            return found.__func__
        if found is None or hasattr(type(found), "__get__") or unfit(found):
            self.operations.run.refuse(f"{name} of the protocol", "Make it a plain method or a constant.")
        return found


def _is_settings(owner: Any) -> bool:
    """Whether this is a frozen record of constants, whose fields are what they were made as.

    A class derived from such a one, and no dataclass itself, may give a field another meaning.
    """
    if not is_dataclass(owner) or isinstance(owner, type | Bounds | Identifier):
        return False
    own = vars(type(owner)).get("__dataclass_params__")
    return own is not None and own.frozen and not unfit(owner)


class State(StateProxy):
    """What a rule sees as `self`."""

    def __init__(self, calls: Calls, view: View) -> None:
        self.calls, self.view = calls, view

    def read(self, name: str) -> Any:
        calls, run = self.calls, self.calls.operations.run
        if name in calls.variables:
            return read(run, self.view, calls.variables[name], name, ())
        if name == "bounds":
            return calls.domains.bounds
        if name == "each":
            return self.each
        if name == "member" or (name in vars(Protocol) and name not in ("name", "initial")):
            run.refuse(f"{name} of the state", "Use variables, rules, bounds and self.each(...).")
        owner = next((one for one in calls.protocol.__mro__ if name in vars(one)), None)
        if owner is None:
            run.refuse(f"{name} of the state", f"Its variables are {', '.join(calls.variables)}.")
        return calls.method(owner, name, self)

    def each(self, domain: Any) -> Universe:
        """All values of a domain."""
        return Universe(self.calls.operations.run, self.calls.domains(domain))

    def assign(self, name: str, value: Any) -> None:
        calls, run = self.calls, self.calls.operations.run
        if name not in calls.variables:
            run.refuse(f"assignment to {name}", f"The variables are {', '.join(calls.variables)}.")
        write(run, self.view, calls.variables[name], name, (), value)


class SuperState(StateProxy):
    """What `super()` is: the methods of the classes after `owner`. Raises LanguageError where Python has none."""

    def __init__(self, calls: Calls, owner: type, state: StateProxy) -> None:
        if borrowed := borrowed_super(owner, calls.protocol):
            raise LanguageError(borrowed[0], calls.operations.run.where, borrowed[1])
        self.calls, self.owner, self.state = calls, owner, state

    def read(self, name: str) -> Any:
        order = self.calls.protocol.__mro__
        for one in order[order.index(self.owner) + 1 :]:
            if name in vars(one) and one is not Protocol:
                return self.calls.method(one, name, self.state)
        self.calls.operations.run.refuse(f"super().{name}", "Call a method that a class before this one defines.")

    def assign(self, name: str, value: Any) -> None:
        self.calls.operations.run.refuse("assignment to super()", "Assign to self.")
