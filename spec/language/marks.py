"""The words that give a method its role: action, invariant, action property, reachable, leads to, constraint, lemma."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, Final, Literal, TypeVar, cast, overload

from .errors import Disabled, LanguageError, OutOfBounds, SourceLine, require_printable, shown_path, source_line

Kind = Literal["action", "invariant", "action_property", "reachable", "constraint", "lemma", "leads_to", "ends", "view"]
F = TypeVar("F", bound=Callable[..., Any])
MARK = "__epochal_mark__"
ASKED = "__epochal_question__"
"""Where a function that is asked of a protocol says by which reference it was asked for."""
ALL = ("*",)
"""What a liveness property names if it assumes fairness of every action that is marked `fair`: `leads_to(fair=ALL)`."""


class Inherited:
    """What a mark says of something that it does not mention: the same as the mark that it takes the place of."""

    def __repr__(self) -> str:
        return "..."


INHERITED: Final = Inherited()


@dataclass(frozen=True)
class Mark:
    """What a decorator says about a method.

    `by` and `to` name who acts and on whom: a parameter of the action, a word such as "controller", or a field of the
    state before, "request.leader". `sends` and `receives` name the messages that `by` sends to `to` and gets from it in
    this step; an answer is called so: "Fetch response". What some action receives is on its way once it is sent.
    Diagrams have an arrow for each message that arrives, and for nothing else. `says` is the step as a sentence, with
    parameters in braces. `fair` records the fairness that liveness properties may assume, and `each` the parameters for
    each of whose values it is assumed; see `leads_to`.
    `only_if` says of what must be reachable under which bounds and settings it is; see `reachable`. `needs` are the
    actions of which a liveness property assumes fairness, `parts` what some protocols take them apart into; an
    `optional` one is checked only on request, and one that holds `once` in the state a run begins with. `of` is whose
    line a view writes; see `view`.
    `said` are the fields that the decorator mentions. The others are those of the mark that this one takes the place
    of, if there is one; see `inheritance`.
    """

    kind: Kind
    by: str = ""
    to: str = ""
    says: str = ""
    fair: Literal["", "weak", "strong"] = ""
    only_if: Callable[[Any], object] | None = None
    needs: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    optional: bool = False
    once: bool = False
    of: str = ""
    sends: str = ""
    receives: str = ""
    each: tuple[str, ...] | None = None
    said: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("by", "to", "says", "sends", "receives"):
            require_printable(getattr(self, name), f"'{name}' of an action")
        require_printable(self.of, "'of' of a view")


def require(condition: object) -> None:
    """Guard of an action: the action is enabled only in states where every `require` it meets is true."""
    if not condition:
        raise Disabled


def bounded(condition: object) -> None:
    """A `require` that is the model's and not the system's: a counter, an epoch, a log that a bound keeps small.

    A search does not distinguish it from `require`. Liveness (`leads_to`) does: a step that meets it, after every
    `require` before it was true, could be taken in the system, and leads out of the model. So no run ends there for
    good, and no liveness property is violated because a bound is used up. Write it after the guards of the system.
    """
    if not condition:
        raise OutOfBounds


@overload
def action(function: F) -> F: ...
@overload
def action(
    *,
    by: str | Inherited | None = INHERITED,
    to: str | Inherited | None = INHERITED,
    sends: str | Inherited | None = INHERITED,
    receives: str | Inherited | None = INHERITED,
    says: str | Inherited | None = INHERITED,
    fair: Literal["", "weak", "strong"] | Inherited | None = INHERITED,
    each: tuple[str, ...] | Inherited | None = INHERITED,
) -> Callable[[F], F]: ...
def action(
    function: F | None = None,
    *,
    by: str | Inherited | None = INHERITED,
    to: str | Inherited | None = INHERITED,
    sends: str | Inherited | None = INHERITED,
    receives: str | Inherited | None = INHERITED,
    says: str | Inherited | None = INHERITED,
    fair: Literal["", "weak", "strong"] | Inherited | None = INHERITED,
    each: tuple[str, ...] | Inherited | None = INHERITED,
) -> F | Callable[[F], F]:
    """A step of the protocol. Its parameters, annotated with finite domains, are chosen nondeterministically.

    One that takes the place of another is in all that it does not say as that one is: as fair, and for the same. None
    says that there is nothing of a kind: `@action(fair=None)` need never be taken. See `leads_to`.
    """
    texts = {"by": by, "to": to, "sends": sends, "receives": receives, "says": says}
    if not all(text is None or isinstance(text, Inherited) or type(text) is str for text in texts.values()) or (
        not isinstance(fair, Inherited) and fair not in ("", "weak", "strong", None)
    ):
        raise LanguageError(
            "@action takes texts: by, to, sends, receives and says, and fair, which is weak or strong",
            _being_run(),
            'Write @action(by="follower", to="leader", sends="Fetch", says="{follower} fetches", fair="weak").',
        )
    mark = _said("action", **{name: text or "" for name, text in {**texts, "fair": fair}.items()}, each=each)
    named = mark.each is None or (isinstance(mark.each, tuple) and _all_texts(mark.each))
    if not named or ("fair" in mark.said and is_unfair_to_each(mark)):
        raise unfair_to_each(_being_run())
    if {"by", "to"} <= mark.said and has_no_other_side(mark):
        raise no_other_side(mark, _being_run())
    return _marking(mark) if function is None else _marked(function, mark)


def is_unfair_to_each(mark: Mark) -> bool:
    """Whether an action says for whom it is fair, and is not."""
    return mark.each is not None and not mark.fair


def unfair_to_each(where: SourceLine) -> LanguageError:
    """What is wrong with an `each` that nothing is fair to."""
    return LanguageError(
        "'each' of an action names the parameters for each of whose values it is taken fairly",
        where,
        'Write @action(fair="weak", each=("partition",)).',
    )


def has_no_other_side(mark: Mark) -> bool:
    """Whether an action has a message, and does not say between whom."""
    return bool(mark.sends or mark.receives) and not (mark.by and mark.to)


def no_other_side(mark: Mark, where: SourceLine) -> LanguageError:
    """What is wrong with a message that goes from nobody or to nobody."""
    return LanguageError(
        f"the message {mark.sends or mark.receives} goes from nobody or to nobody: 'by' and 'to' say between whom",
        where,
        'Write @action(by="follower", to="leader", sends="Fetch", receives="Fetch response").',
    )


def _said(kind: Kind, **fields: object) -> Mark:
    """A mark of those fields that are said."""
    said = {name: value for name, value in fields.items() if not isinstance(value, Inherited)}
    return Mark(kind, **cast(dict[str, Any], said), said=frozenset(said))


def _marking(mark: Mark) -> Callable[[F], F]:
    return lambda function: _marked(function, mark)


def _marked(function: F, mark: Mark) -> F:
    """The function with its mark. Raises LanguageError for what is no plain function, or marked already."""
    if type(function) is not FunctionType:
        what = "a class" if isinstance(function, type) else f"{type(function).__name__}, which is no plain function"
        raise LanguageError(
            f"@{mark.kind} stands on {what}", _being_run(), f"Write @{mark.kind} directly above def name(self, ...)."
        )
    if "__wrapped__" in function.__dict__ or "__signature__" in function.__dict__:
        raise LanguageError(
            f"@{mark.kind} stands on {function.__name__}, which a decorator has wrapped",
            _being_run(),
            f"Write @{mark.kind} directly above def {function.__name__}(self, ...), without other decorators.",
        )
    before = mark_of(function)
    if before is not None:
        raise LanguageError(
            f"{function.__name__} is marked twice: @{before.kind} and @{mark.kind}",
            source_line(function),
            "Write two methods, one for each mark.",
        )
    function.__dict__[MARK] = mark
    return function


def mark_of(value: object) -> Mark | None:
    """The mark of a method; None for anything else. No code of the value is run."""
    return value.__dict__.get(MARK) if type(value) is FunctionType else None


def _being_run() -> SourceLine:
    """The line of the specification that is being run."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    return SourceLine(shown_path(frame.f_code.co_filename), frame.f_lineno, frame.f_code.co_name)


def invariant(function: F) -> F:
    """A predicate that must be true in every reachable state. The docstring's first sentence is what people read."""
    return _marked(function, Mark("invariant"))


def action_property(function: F) -> F:
    """A predicate on every step, as a method `(self, new)`: `self` is the state before, `new` the state after."""
    return _marked(function, Mark("action_property"))


@overload
def reachable(function: F) -> F: ...
@overload
def reachable(*, only_if: Callable[[Any], object] | None) -> Callable[[F], F]: ...
def reachable(
    function: F | None = None, *, only_if: Callable[[Any], object] | Inherited | None = INHERITED
) -> F | Callable[[F], F]:
    """A predicate that some reachable state, or step with a parameter `new`, must make true: it can happen.

    `only_if` is a condition on the protocol's bounds and settings, as a function of `self`, which has no state yet:
    `@reachable(only_if=lambda self: self.settings.elr)`. Where it is false the property does not apply, and must *not*
    happen: a mechanism that a protocol does not have is never seen. One that takes the place of another and does not
    say it has the condition of that one; `only_if=None`: it always applies.
    """
    mark = _said("reachable", only_if=only_if)
    return _marking(mark) if function is None else _marked(function, mark)


def leads_to(
    *,
    fair: tuple[str, ...],
    parts: tuple[str, ...] | Inherited = INHERITED,
    optional: bool | Inherited = INHERITED,
    once: bool | Inherited = INHERITED,
    wish: bool | None = None,
) -> Callable[[F], F]:
    """Mark a liveness property. The method returns two conditions, a premise and a goal.

    Wherever the premise holds, the goal holds then or later, for each choice of the method's parameters, in every run
    that is fair to the actions named by `fair`. Each of these is marked `fair` itself, and how strongly: a run is
    unfair to a weak one if from some state on it could always be taken and never is, and to a strong one if it could be
    taken again and again and never is. A step that changes nothing is no step: it could not be taken.

    Fairness is assumed of an action for each who acts and is acted on: each value of the parameters that its `by` and
    `to` name, or of all of them if these name none; or of those that `each` names, if it is given: `each=()` is the
    action as a whole. What a step chooses besides, an outcome, counts for nothing: `fetch(follower, leader)` is fair to
    each pair of brokers, and `restart(broker, successor)` to each broker, whoever the successor is.

    With `once` the premise is evaluated in the first state of a run only: the goal holds some time, and need not come
    again. `return True, self.done` is then TLA+'s <>done, which is []<>done without it.

    `parts` are actions into which some protocols take these apart: an answer that arrives in a step of its own. Where a
    protocol has one, it is taken fairly too, and where not, nothing is missing. `fair=ALL` names every action that is
    marked `fair` in the protocol that is checked, whatever it consists of.

    An `optional` property is desirable, but not guaranteed by the protocol: it is checked only on request. An override
    that does not name its `parts`, or whether it is `optional` or holds `once`, inherits them. `wish` is the former
    name of `optional`, and goes with the next release.

    Where nothing but `bounded` or the constraint keeps a fair step from being taken, it could be: the check is
    whether some run that stays within the bounds violates the property.
    """
    if wish is not None:
        warnings.warn("leads_to(wish=...) is leads_to(optional=...) now", DeprecationWarning, stacklevel=2)
        optional = wish
    mark = _said("leads_to", needs=fair, parts=parts, optional=optional, once=once)
    wrong = next((one for one in (mark.needs, mark.parts) if not isinstance(one, tuple) or not _all_texts(one)), None)
    if wrong is not None:
        raise LanguageError(
            f"leads_to takes the names of actions, not {type(wrong).__name__}",
            _being_run(),
            'Write @leads_to(fair=("fetch", "restart")).',
        )
    return _marking(mark)


def _all_texts(found: tuple[object, ...]) -> bool:
    return all(isinstance(one, str) for one in found)


def constraint(function: F) -> F:
    """A bound on states: a state where it is false is checked, but neither counted nor explored further."""
    return _marked(function, Mark("constraint"))


def ends(function: F) -> F:
    """A predicate on states: here a run may end. `epochal check --deadlock` reports every other state in which nothing
    more happens, unless a bound alone makes it one. Of several such predicates one is enough.
    """
    return _marked(function, Mark("ends"))


def lemma(function: F) -> F:
    """A predicate that a proof leans on: true at first, and preserved by every step where all lemmas hold before it."""
    return _marked(function, Mark("lemma"))


def view(*, of: str) -> Callable[[F], F]:
    """What people read of a state in place of its fields: the words of one who takes part; "" for nothing to say.

    `of` names whose words they are, as `by` of an action does: the method's one parameter besides `self`, for each of
    whose values there is a line (`b1`, and `controller 2` for a number), or a word such as "controller". A view is
    plain Python. No engine runs it, and nothing that is checked depends on it.
    """
    if type(of) is not str or not of:
        raise LanguageError(
            "@view takes the name of whose words it says",
            _being_run(),
            'Write @view(of="controller"), or @view(of="broker") above def words(self, broker: Broker).',
        )
    return _marking(Mark("view", of=of))
