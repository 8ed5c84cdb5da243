"""Symmetry reduction for a search: representatives in place of states, and runs of the protocol from them again."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from epochal.spec.language import ActionInstance, EvaluationError

from ..disagreement import disagree_on_step, result_in_words
from ..ir.model import Model
from ..trace.trace import Step
from .canonical import CanonicalForm
from .invariance import DeciderOf, refuse_unsymmetrical
from .names import Codes, Naming


class Reduction:
    """The representatives of a protocol whose identifiers are interchangeable, which is checked first.

    `properties` are the ids of the properties that the search evaluates, `decider` makes what is asked where the
    nodes of two expressions differ. Raises LanguageError, with reason and line, if
    the specification or one of them tells identifiers apart. With `checked` it is known that they do not.
    """

    def __init__(self, model: Model, properties: Collection[str], decider: DeciderOf, checked: bool = False) -> None:
        self.naming = Naming(model.protocol)
        if not checked:
            refuse_unsymmetrical(model, self.naming, properties, decider)
        self.form = CanonicalForm(self.naming, model.layout)

    @property
    def interchangeable(self) -> tuple[str, ...]:
        """The identifiers that are interchangeable, as `b1..b3`."""
        return tuple(str(group.domain) for group in self.naming.groups)

    def representatives(self, states: Iterable[Codes]) -> list[Codes]:
        """The representatives of some states, each once, in the order of the states."""
        return list(dict.fromkeys(map(self.form, states)))

    def concrete(
        self, run: tuple[Codes, tuple[Step, ...]], instance: ActionInstance | None
    ) -> tuple[tuple[Codes, tuple[Step, ...]], ActionInstance | None]:
        """A run of the protocol through the orbits of a run of representatives, and what an instance at its end is.

        It begins in the first initial state whose representative is the run's first; each step is the first instance,
        in the order of the specification, that leads on to the next orbit. The instance gets the names that the last
        state has got. Raises ReadingsDisagree if no step leads on to the next orbit.
        """
        protocol, form, (first, path) = self.naming.protocol, self.form, run
        now = initial = next(codes for codes in protocol.initial_states() if form(codes) == first)
        steps: list[Step] = []
        for taken in path:
            found = (Step(i, after) for i, after in protocol.outcomes(now) if not isinstance(after, EvaluationError))
            step = next((step for step in found if form(step.codes) == taken.codes), None)
            if step is None:
                says = result_in_words(protocol, now, taken.codes)
                answers = [("native", f"up to names, {says}"), ("python", "no step leads to such a state")]
                raise disagree_on_step(protocol, now, taken.instance, answers)
            steps.append(step)
            now = step.codes
        if instance is not None:
            last = path[-1].codes if path else first
            names = next(names for names in self.naming.renamings if self.naming.renamed(last, names) == now)
            instance = self.naming.instance(instance, names)
        return (initial, tuple(steps)), instance
