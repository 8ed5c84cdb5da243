"""Static checks: what can be said of a compiled specification without exploring it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from epochal.spec.language import LanguageError, Member, SourceLine
from epochal.spec.language.configurable import remarks_on
from epochal.spec.language.functions import class_line
from epochal.spec.language.marks import Kind
from epochal.spec.language.members import title

from ..ir.expression import Expression, leaves_read
from ..ir.model import Model
from ..semantics.properties import all_properties, judged_if_asked, no_actions, no_properties
from .compiler import rule_of
from .source.admitted import names_reached

HERE = "at these bounds"
"""What a diagnostic says of which another choice of the bounds may be free."""

IN_THE_END: tuple[Kind, ...] = ("leads_to", "ends")
"""What says how a run ends: a compiled model may be without it."""


@dataclass(frozen=True)
class Diagnostic:
    """Something odd about a specification. `vacuous` if it makes a verdict worth less than it seems.

    `dead_action` is the name of the action that no state enables, if that is what is odd; `about` is the property that
    it is about. Either may be so at these bounds only.
    """

    message: str
    where: SourceLine | None
    vacuous: bool
    dead_action: str = ""
    about: Member | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


def diagnose(model: Model) -> tuple[Diagnostic, ...]:
    """What is odd about the specification at these bounds, in the order of its text.

    Raises LanguageError for what makes a check meaningless: history that steers the protocol, and an action that fails
    whenever its guards hold.
    """
    _refuse_ghosts_in_rules(model)
    _refuse_certain_failures(model)
    return (
        *_nothing_declared(model),
        *_dead_actions(model),
        *_empty_properties(model),
        *_unused_variables(model),
        *(Diagnostic(remark, None, False) for remark in remarks_on(model.protocol)),
    )


def means_less(odd: Iterable[Diagnostic], judged: Iterable[Member]) -> list[Diagnostic]:
    """Those that make a verdict on these properties worth less than it seems: of others nothing is claimed."""
    where = {member.where for member in judged}
    return [one for one in odd if one.vacuous and (one.about is None or one.about.where in where)]


def refuse_history(read: Iterable[str], what: str, where: SourceLine | None) -> None:
    """Refuse that the protocol is steered by the first of these ghost variables.

    A proof is one of the protocol without its history because no step reads that.
    """
    for ghost in sorted(read):
        raise LanguageError(
            f"{what} depends on the ghost variable {ghost}", where, "Ghost state is history for properties only."
        )


def _refuse_ghosts_in_rules(model: Model) -> None:
    ghosts: dict[int, str] = {}
    for name, variable in model.protocol.variables.items():
        if variable.ghost:
            first = variable.first_leaf
            ghosts |= dict.fromkeys(range(first, first + variable.domain.leaf_count), name)
    for compiled in model.instances:
        for guard in compiled.guards:
            read = leaves_read([guard.condition])
            refuse_history({ghosts[leaf] for leaf in read if leaf in ghosts}, "a guard", guard.where)
        for leaf, value in compiled.updates.items():
            if leaf not in ghosts:
                read = leaves_read([value])
                what = f"the new value of {model.protocol.leaves[leaf].path}"
                refuse_history({ghosts[leaf] for leaf in read if leaf in ghosts}, what, value.where)


def _refuse_certain_failures(model: Model) -> None:
    false = model.graph.false
    by_action: dict[str, list[bool]] = {}
    for compiled in model.instances:
        by_action.setdefault(compiled.instance.action.name, []).append(compiled.enabled is false)
    for compiled in model.instances:
        if compiled.failures and all(by_action[compiled.instance.action.name]):
            failure = compiled.failures[-1]
            raise LanguageError(
                f"{title(compiled.instance.action.name)} can never be carried out: {failure.message}",
                failure.where,
                "Widen the domain, or guard the step with require.",
            )


def _dead_actions(model: Model) -> Iterator[Diagnostic]:
    possible = {compiled.instance.action.name for compiled in model.instances}
    for action in model.protocol.members("action"):
        if action.name not in possible:
            yield Diagnostic(
                f"{title(action.name)} cannot happen {HERE}: no state enables it",
                action.where,
                vacuous=True,
                dead_action=action.name,
            )


def _nothing_declared(model: Model) -> Iterator[Diagnostic]:
    """A protocol that does nothing, or of which nothing is asked."""
    kind = type(model.protocol)
    if not model.protocol.members("action"):
        yield Diagnostic(no_actions(kind), class_line(kind), vacuous=True)
    if not (model.properties or judged_if_asked(model.protocol)):
        yield Diagnostic(no_properties(model.protocol), class_line(kind), vacuous=True)


def _empty_properties(model: Model) -> Iterator[Diagnostic]:
    for property in model.properties:
        if property.failures or property.member.mark.kind == "lemma" or not model.protocol.applies(property.member):
            continue
        if not leaves_read([property.holds]):
            always = "true" if property.holds.value else "false"
            yield Diagnostic(
                f"{property.member.name} is {always} whatever the state {HERE}",
                property.member.where,
                vacuous=True,
                about=property.member,
            )


def _unused_variables(model: Model) -> Iterator[Diagnostic]:
    named = _named_elsewhere(model)
    count = len(model.protocol.leaves)
    read = {leaf % count for leaf in leaves_read(list(_everything_read(model)))}
    for compiled in model.instances:
        for leaf, value in compiled.updates.items():
            read |= leaves_read([value]) - {leaf}
    evaluated = {property.member.mark.kind for property in model.properties}
    for_lemmas_only = bool(model.protocol.members("lemma")) and "lemma" not in evaluated
    for name, variable in model.protocol.variables.items():
        if name in named or (variable.ghost and for_lemmas_only):
            continue
        first = variable.first_leaf
        if not read & set(range(first, first + variable.domain.leaf_count)):
            yield Diagnostic(f"the state variable {name} is never read", None, False)


def _named_elsewhere(model: Model) -> frozenset[str]:
    """What the properties name that were not compiled, and so may read."""
    compiled = {one.member.name for one in model.properties}
    compiled |= {one.member.name for one in (*model.promises, *model.ends)}
    known = [*all_properties(model.protocol), *(m for kind in IN_THE_END for m in model.protocol.members(kind))]
    left_out = [rule_of(member.function) for member in known if member.name not in compiled]
    return frozenset().union(*(names_reached(type(model.protocol), function) for function in left_out))


def _everything_read(model: Model) -> Iterable[Expression]:
    for compiled in model.instances:
        yield from (guard.condition for guard in compiled.guards)
        yield from (failure.condition for failure in compiled.failures)
    for property in model.properties:
        yield property.holds
        yield from (failure.condition for failure in property.failures)
    for promise in (*model.promises, *model.ends):
        yield from (promise.premise, promise.goal)
        yield from (failure.condition for failure in promise.failures)
    yield model.constraint
    yield from (failure.condition for failure in model.constraint_failures)
