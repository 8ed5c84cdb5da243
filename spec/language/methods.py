"""What is wrong with the methods of a protocol that can be said as soon as its class is there.

Later it would be said of the wrong line, where a rule is called, or only when a story is told.
"""

from __future__ import annotations

import inspect
import string
from collections.abc import Iterator
from types import CellType, FunctionType

from .errors import LanguageError, SourceLine, shown_path, source_line
from .inheritance import inherited_mark
from .marks import Mark, has_no_other_side, is_unfair_to_each, mark_of, no_other_side, unfair_to_each

POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def refuse_odd_methods(cls: type, base: type) -> None:
    """Raise LanguageError for a rule that cannot stand in for the one of its name, or a text about no parameter.

    `base` is the class of all protocols.
    """
    mixed = len(cls.__bases__) > 1  # then a method may take the place of one that its own class has never heard of
    names = dict.fromkeys(name for owner in cls.__mro__ for name in vars(owner)) if mixed else vars(cls)
    for name in names:
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
    own, replaced = inspect.signature(function), inspect.signature(before)
    raise LanguageError(
        f"{cls.__name__}.{name} takes {_named(own)}, and the rule that it replaces takes {_named(replaced)}",
        source_line(function),
        f"Write def {name}{_written(replaced)}: as {source_line(before)} has it.",
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


def _named(signature: inspect.Signature) -> str:
    return f"({', '.join(signature.parameters)})"


def _written(signature: inspect.Signature) -> str:
    """A signature as it is written: with annotations as text, as they stand in the file."""
    return str(signature).replace("'", "")


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
