"""Cross-checking an engine while it makes its verdict: some states that it has reached, repeated in the Python
semantics.

Of each state everything is repeated that the engine says: which action instances are enabled, which fail, the state
that each leads to, the properties of the state and of the steps, the constraint. The engine is asked through the very
code that has searched. By default this takes a fiftieth of the time that the run took, at most a second, but at least
a handful of states whatever the time, as far as a second allows.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.sentences import Given, Sentence, Writer, written
from epochal.spec.language import ActionInstance, EvaluationError, Member, Protocol, SourceLine
from epochal.spec.language.display import shown_lines
from epochal.spec.language.protocol import evaluated

from ..semantics.properties import is_step_property
from ..semantics.semantics import Answers, Codes, Taken, Truth
from ..trace.explain import differences, refusal
from ..trace.run import PlainRun, Step
from ..trace.trace import Trace

# -- disagreement -----------------------------------------------------------------------------------------------------
# Two semantics of a specification that differ: what they disagree on, in which state, and both answers. No verdict
# counts then: the fault is the checker's, or a rule is not a function of the state.

ALONE = "The state that the semantics disagree on"
"""What the first state of a trace is that does not begin in an initial state."""

ADVICE: tuple[Sentence, ...] = (
    "No verdict counts: one of the two is wrong, and this is a bug in Epochal. Report it with these lines.",
    (
        "The Python semantics define what the specification means: ",
        Given("engine", "python"),
        " searches with them alone.",
    ),
)


@dataclass(frozen=True)
class Disagreement:
    """What two semantics say of one state, or of one step from it.

    `about` is an action with its arguments, a property, or another query; `where` the line on which it is written.
    `answers` are pairs of a semantics and what it says, a line each. `step` is the step that is asked about, as one of
    them takes it, and `member` the property, a liveness property with its `arguments`. `trace` leads to the state and
    takes the step: to ask again.
    """

    about: str
    where: SourceLine | None
    protocol: Protocol
    state: Codes
    answers: tuple[tuple[str, str], ...]
    step: tuple[Step, ...] = ()
    member: Member | None = None
    arguments: tuple[Any, ...] = ()
    trace: Trace | None = field(default=None, repr=False)

    @property
    def headline(self) -> str:
        """What the semantics disagree on, and where that is written."""
        return f"the semantics disagree on {self.about}" + (f" [{self.where}]" if self.where is not None else "")

    def lines(self) -> list[str]:
        """The headline, both answers, and the state as people read it."""
        found = [self.headline, *(f"  {reading}: {says}" for reading, says in self.answers)]
        problem = misfit(self.protocol, self.state)
        if problem:
            return [*found, f"  in what is no state of the protocol: {problem}"]
        return [
            *found,
            "  in the state:",
            *(f"    {k}: {v}" for k, v in shown_lines(self.protocol, self.state).items()),
        ]

    @property
    def alone(self) -> Disagreement:
        """The same with a trace; if it has none, one that begins in the state itself."""
        return self if self.trace is not None else self.after((), self.state, ALONE)

    def after(self, steps: Sequence[Step], initial: Codes, start: str = "") -> Disagreement:
        """The same with a trace: from a first state by steps to the state, and on. Without one if it has no state."""
        taken = (*steps, *self.step)
        if any(misfit(self.protocol, codes) for codes in (initial, *(step.codes for step in taken))):
            return self
        subject = self.member if self.member is not None and self.member.mark.kind != "constraint" else None
        verdict = "run" if subject is None else "reached" if subject.mark.kind == "reachable" else "violated"
        name = "" if subject is None else subject.name
        trace = Trace(
            self.protocol, initial, taken, name, verdict, self.headline, start=start, arguments=self.arguments
        )
        return replace(self, trace=trace)


class SemanticsDisagree(EpochalError):
    """Raised where two semantics of a specification say different things."""

    exit_code = ExitCode.READINGS_DISAGREE

    def __init__(self, disagreement: Disagreement) -> None:
        super().__init__(disagreement.headline)
        self.disagreement = disagreement

    def __str__(self) -> str:
        return self.told(str)

    def told(self, writer: Writer) -> str:
        """Both answers and the state, and what to do."""
        return "\n".join([*self.disagreement.lines(), *(f"  {written(line, writer)}" for line in ADVICE)])

    def after(self, steps: Sequence[Step], initial: Codes) -> SemanticsDisagree:
        """The same, with a trace: from an initial state by steps to the state."""
        return SemanticsDisagree(self.disagreement.after(steps, initial))


def misfit(protocol: Protocol, codes: Codes) -> str:
    """Why some codes are those of no state of a protocol; "" if they are."""
    problem = unfit(protocol, codes)
    if problem or protocol.at(codes).codes() == tuple(codes):
        return problem
    return "a slot beyond the end of a log, or a part of an absent record, holds something"


def unfit(protocol: Protocol, codes: Codes) -> str:
    """Which leaf has none of its codes; "" if there is none."""
    leaves = protocol.leaves
    if len(codes) != len(leaves):
        return "it has bits that belong to no variable"
    for leaf, code in zip(leaves, codes, strict=True):
        if not 0 <= code < leaf.domain.size:
            return f"{leaf.path} has the code {code}, and {leaf.domain} has {leaf.domain.size}"
    return ""


def disagree_on_step(
    protocol: Protocol,
    codes: Codes,
    instance: ActionInstance,
    answers: Sequence[tuple[str, str]],
    after: Codes | None = None,
) -> SemanticsDisagree:
    """Semantics that disagree on an action instance in a state, which leads to `after` if one of them takes it."""
    step = () if after is None else (Step(instance, after),)
    where = instance.action.where
    return SemanticsDisagree(Disagreement(instance.label, where, protocol, codes, tuple(answers), step))


def disagree_on_property(
    protocol: Protocol,
    codes: Codes,
    member: Member,
    answers: Sequence[tuple[str, str]],
    step: Step | None = None,
    arguments: tuple[Any, ...] = (),
) -> SemanticsDisagree:
    """Semantics that disagree on a property or the constraint, in a state or on a step from it.

    `arguments` are those of a liveness property.
    """
    about = f"{member.name} of the step {step.instance.label}" if step is not None else member.name
    if arguments:
        parameters = protocol.parameters(member.function)
        about += f"({', '.join(p.domain.show(one) for p, one in zip(parameters, arguments, strict=True))})"
    taken = () if step is None else (step,)
    return SemanticsDisagree(
        Disagreement(about, member.where, protocol, codes, tuple(answers), taken, member, arguments)
    )


def result_in_words(protocol: Protocol, before: Codes, after: Codes) -> str:
    """What a step changes, for people: `b1.hw: 0 -> 1; b1.epoch: 0 -> 1`."""
    problem = misfit(protocol, after)
    if problem:
        return f"leads to what is no state of the protocol: {problem}"
    if misfit(protocol, before):
        return f"leads to {dict(shown_lines(protocol, after))}"
    changes = differences(protocol, before, after)
    return f"enabled, {'; '.join(map(str, changes)) if changes else 'and changes nothing'}"


Amount = int | Literal["some", "all", "off"]
"""How many states are repeated: so many, what time allows, every one, or none."""

SHARE = 50
"""By default the cross-check takes the time of the run so far divided by this."""

LONGEST = 1.0
"""By default the cross-check ends after so many seconds."""

LEAST = 8
"""By default so many states are repeated however short the run was, but for the second."""

SEED = 20
"""What the choice of states begins with: the same search has the same sample."""

PYTHON = "python"

State = TypeVar("State")


INTERRUPTED = "interrupted"
"""Why a cross-check ended that Ctrl-C has ended."""


@dataclass(frozen=True)
class CrossCheck:
    """How many states, and steps from them, were repeated in the Python semantics without a difference.

    `cut` says why it ended before all was repeated that was asked for.
    """

    states: int = 0
    steps: int = 0
    cut: str = ""


NOTHING = CrossCheck()


class CrossChecker:
    """Repeats states in the Python semantics, and counts. `enabled` says in how many of them each action was enabled.

    With `form` the engine replaces states by their representatives.
    """

    def __init__(
        self,
        protocol: Protocol,
        members: Sequence[Member],
        answers: Answers,
        form: Callable[[Codes], Codes] | None = None,
    ) -> None:
        self.protocol, self.answers, self._form = protocol, answers, form
        self._of_states = [member for member in members if not is_step_property(member)]
        self._of_steps = [member for member in members if is_step_property(member)]
        self._constraints = protocol.members("constraint")
        self.states = self.steps = 0
        self.enabled: Counter[str] = Counter()

    def repeat(self, codes: Codes) -> None:
        """Repeat one state. Raises SemanticsDisagree."""
        before = self._is_state(codes)
        theirs = dict(self.answers.steps(codes))
        for instance, after in self.protocol.outcomes(codes):
            self._step(codes, before, instance, after, theirs.pop(instance.number, None))
        for number, taken in theirs.items():
            instance = self.protocol.instances[number]
            says = [(self.answers.name, self._in_words(codes, taken)), (PYTHON, self._refused(codes, instance))]
            raise disagree_on_step(self.protocol, codes, instance, says, taken.after)
        self._state(codes, before)
        self._liveness(codes, before)
        if self._constraints:
            self._within(codes)
        self.states += 1

    def led_to(self, before: Codes, instance: ActionInstance, after: Codes) -> None:
        """Repeat the step by which the engine says that it reached a state. Raises SemanticsDisagree."""
        self._is_state(before)
        try:
            reached = self.protocol.step(self.protocol.at(before), instance)
        except EvaluationError as error:
            ours, reached = f"cannot be evaluated: {error}", None
        else:
            if reached is not None and (self._form(reached) if self._form is not None else reached) == after:
                return
            ours = self._refused(before, instance) if reached is None else self._leads(before, reached)
        says = [(self.answers.name, self._leads(before, after)), (PYTHON, ours)]
        raise disagree_on_step(self.protocol, before, instance, says, reached or after)

    # -- one question each ----------------------------------------------------------------------------------------

    def _is_state(self, codes: Codes) -> Protocol:
        """The state with these codes, if they are those of one."""
        problem = unfit(self.protocol, codes)
        if not problem:
            view: Protocol = self.protocol.at(codes)
            if view.codes() == codes:
                return view
            problem = misfit(self.protocol, codes)
        says = ((self.answers.name, "a state that it has reached"), (PYTHON, f"no state: {problem}"))
        raise SemanticsDisagree(Disagreement("what a state is", None, self.protocol, codes, says))

    def _step(
        self,
        codes: Codes,
        before: Protocol,
        instance: ActionInstance,
        after: Codes | EvaluationError,
        taken: Taken | None,
    ) -> None:
        """Compare what both say of an instance that Python takes or cannot evaluate."""
        reached = None if isinstance(after, EvaluationError) else after
        if taken is None or taken.after != reached:
            ours = f"cannot be evaluated: {after}" if reached is None else self._leads(codes, reached)
            theirs = "not enabled" if taken is None else self._in_words(codes, taken)
            either = reached if reached is not None or taken is None else taken.after
            says = [(self.answers.name, theirs), (PYTHON, ours)]
            raise disagree_on_step(self.protocol, codes, instance, says, either)
        self.steps += 1
        self.enabled[instance.action.name] += 1
        if reached is None:
            return
        if self._of_steps:
            view = self.protocol.at(reached)
            for member in self._of_steps:
                self._compare(codes, member, taken.judged, (before, view), Step(instance, reached))
        if self._constraints and not self._within(reached):
            self._state(reached, self.protocol.at(reached))
        self._representative(reached)

    def _representative(self, codes: Codes) -> None:
        """Compare what a state is replaced by."""
        if self._form is None:
            return
        ours, theirs = self._form(codes), self.answers.representative(codes)
        if ours != theirs:
            says = ((self.answers.name, self._leads(codes, theirs)), (PYTHON, self._leads(codes, ours)))
            raise SemanticsDisagree(
                Disagreement("the canonical representative of a state", None, self.protocol, codes, says)
            )

    def _state(self, codes: Codes, view: Protocol) -> None:
        """Compare the properties of a state."""
        if self._of_states:
            theirs = self.answers.judged(codes)
            for member in self._of_states:
                self._compare(codes, member, theirs, (view,))

    def _liveness(self, codes: Codes, view: Protocol) -> None:
        """Compare premises and goals of liveness properties, and whether a run may end."""
        for member, arguments, theirs in self.answers.promised(codes):
            ours: tuple[bool, bool] | None
            try:
                if member.mark.kind == "ends":
                    each = [bool(evaluated(one.function, view)) for one in self.protocol.members("ends")]
                    ours = True, any(each)
                else:
                    premise, goal = evaluated(member.function, view, *arguments)
                    ours = bool(premise), bool(goal)
            except EvaluationError:
                ours = None
            if ours != theirs:
                says = [(self.answers.name, _promised(theirs)), (PYTHON, _promised(ours))]
                raise disagree_on_property(self.protocol, codes, member, says, arguments=arguments)

    def _within(self, codes: Codes) -> Truth:
        """Compare whether a state lies within the constraint; what both say."""
        ours: Truth = True
        view = self.protocol.at(codes)
        for member in self._constraints:
            ours = self._truth(member, (view,))
            if not ours:
                break
        theirs = self.answers.within(codes)
        if ours != theirs:
            says = [(self.answers.name, _WORDS[theirs]), (PYTHON, _WORDS[ours])]
            raise disagree_on_property(self.protocol, codes, self._constraints[0], says)
        return ours

    def _compare(
        self,
        codes: Codes,
        member: Member,
        theirs: Mapping[str, Truth],
        views: Sequence[Protocol],
        step: Step | None = None,
    ) -> None:
        ours = self._truth(member, views)
        if theirs[member.name] != ours:
            says = [(self.answers.name, _WORDS[theirs[member.name]]), (PYTHON, _WORDS[ours])]
            raise disagree_on_property(self.protocol, codes, member, says, step)

    @staticmethod
    def _truth(member: Member, views: Sequence[Protocol]) -> Truth:
        try:
            return bool(evaluated(member.function, *views))
        except EvaluationError:
            return None

    def _in_words(self, codes: Codes, taken: Taken) -> str:
        if taken.after is None:
            return "cannot be evaluated"
        return self._leads(codes, taken.after)

    def _leads(self, codes: Codes, after: Codes) -> str:
        return result_in_words(self.protocol, codes, after)

    def _refused(self, codes: Codes, instance: ActionInstance) -> str:
        guard = refusal(self.protocol, codes, instance)
        return "not enabled" if guard is None else f"not enabled: {guard.text} [{guard.where}]"


_WORDS: dict[Truth, str] = {True: "true", False: "false", None: "cannot be evaluated"}


def _promised(truths: tuple[bool, bool] | None) -> str:
    """Premise and goal in words."""
    if truths is None:
        return _WORDS[None]
    return f"the premise is {_WORDS[truths[0]]}, and the goal is {_WORDS[truths[1]]}"


class ReachedStates(ABC, Generic[State]):
    """The states that a search has reached, as they are repeated. `whole` says that they are those of the protocol, not
    representatives.
    """

    def __init__(self, checker: CrossChecker, whole: bool = True) -> None:
        self.checker, self._whole = checker, whole

    @abstractmethod
    def some(self) -> Iterable[State]:
        """A sample of them, or all in the end, in the order in which they are to be repeated."""

    @abstractmethod
    def every(self) -> Iterable[State]:
        """All of them."""

    @abstractmethod
    def codes(self, state: State) -> Codes:
        """The codes of a state."""

    @abstractmethod
    def came_from(self, state: State) -> tuple[Codes, ActionInstance] | None:
        """The state and the instance by which a state was reached, None for an initial one."""

    @abstractmethod
    def run_to(self, state: State) -> PlainRun:
        """The run by which a state was reached. Raises SemanticsDisagree."""

    def repeat(self, state: State) -> None:
        """Repeat a state, and the step by which it was reached. Of a disagreement the first on the way is told."""
        try:
            codes = self.codes(state)
            if (came := self.came_from(state)) is not None:
                self.checker.led_to(*came, codes)
            self.checker.repeat(codes)
        except SemanticsDisagree as found:
            raise self._first_on_the_way(state, found) from None

    def follow(self, run: PlainRun) -> None:
        """Repeat a run step by step. Raises SemanticsDisagree."""
        before, steps = run
        for number, step in enumerate(steps):
            try:
                self.checker.led_to(before, step.instance, step.codes)
            except SemanticsDisagree as found:
                raise (found.after(steps[:number], run[0]) if self._whole else found) from None
            before = step.codes

    def _first_on_the_way(self, state: State, found: SemanticsDisagree) -> SemanticsDisagree:
        """The first disagreement on the way to a state, with the run to it if its states are those of the protocol."""
        try:
            initial, steps = self.run_to(state)
        except SemanticsDisagree as broken:
            return broken
        for number, codes in enumerate((initial, *(step.codes for step in steps))):
            try:
                self.checker.repeat(codes)
            except SemanticsDisagree as first:
                whole = self._whole and first.disagreement.state == codes
                return first.after(steps[:number], initial) if whole else first
        return found


def repeated(
    checker: CrossChecker,
    states: Iterable[State],
    repeat: Callable[[State], None],
    amount: Amount,
    run_seconds: float,
    least: int = LEAST,
    told: Callable[[int], str] | None = None,
    share: float = SHARE,
    longest: float = LONGEST,
) -> CrossCheck:
    """Repeat states, in their order, until there are enough; what was repeated. Raises SemanticsDisagree.

    `run_seconds` is what the run has taken so far, `least` how many states are repeated whatever that was. Ctrl-C ends
    it: what was repeated until then counts. Where the user has said how many, `told` is called with the count after
    each state; what it returns, if anything, is a reason to go on only as long as no optional property is.
    """
    begun = time.monotonic()
    allowed = min(longest, run_seconds / share)
    cut = ""
    try:
        for state in states:
            repeat(state)
            if isinstance(amount, int) and checker.states >= amount:
                cut = ""
                break
            spent = time.monotonic() - begun
            enough = spent >= longest or (spent >= allowed and checker.states >= least)
            if amount != "some" and told is not None:
                cut = told(checker.states)
            if enough and (cut or amount == "some"):
                break
        else:
            cut = ""
    except KeyboardInterrupt:
        cut = INTERRUPTED
    return CrossCheck(checker.states, checker.steps, cut)


# -- same steps -------------------------------------------------------------------------------------------------------
# Whether a protocol with history takes the steps of the protocol that it is derived from, state by state. A proof may
# need variables that remember. They may only be written: a step is possible and changes the shared variables exactly as
# without them.


def difference(plain: Protocol, remembering: Protocol, states: int | None = None) -> tuple[str, int]:
    """The first difference between the steps of the two, "" if there is none, and how many states were compared.

    Looked at are the first `states` states that `remembering` reaches, breadth-first; None: all of them. Both have the
    same bounds, and the variables of `plain` are among those of `remembering`.
    """
    shared = _shared(plain, remembering)
    begin = remembering.initial_states()
    if {shared(codes) for codes in begin} != set(plain.initial_states()):
        return "they begin otherwise", 0
    seen, waiting, compared = set(begin), deque(begin), 0
    while waiting and (states is None or compared < states):
        codes = waiting.popleft()
        compared += 1
        own = {instance.label: after for instance, after in remembering.successors(codes)}
        other = {instance.label: after for instance, after in plain.successors(shared(codes))}
        for label in own.keys() | other.keys():
            if label not in own or label not in other:
                who = remembering if label in own else plain
                return f"{label} is a step of {who.name} only", compared
            if shared(own[label]) != other[label]:
                return f"{label} leads elsewhere", compared
        for after in own.values():
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return "", compared


def _shared(plain: Protocol, remembering: Protocol) -> Callable[[Codes], Codes]:
    """What takes a state of `remembering` to the state of `plain` in it."""
    leaves: list[int] = []
    for name, variable in plain.variables.items():
        first = remembering.variables[name].first_leaf
        leaves += range(first, first + variable.domain.leaf_count)
    return lambda codes: tuple(codes[at] for at in leaves)
