"""From a state back to an initial one: the run that a backward walk through the log tells."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from epochal.spec.language import ActionInstance, EvaluationError, Member

from ...crosscheck.cross_check import (
    SEED,
    CrossChecker,
    ReachedStates,
    SemanticsDisagree,
    disagree_on_step,
    misfit,
    result_in_words,
)
from ...ir.layout import state_hash
from ...ir.model import Model
from ...native.backend import LivenessCode, MachineAnswers
from ...native.kernel.kernel import FAILURE
from ...native.llvm.jit import MachineCode
from ...semantics.semantics import Codes
from ...trace.run import PlainRun, Step
from ..findings import Finding, Findings
from ..native import spread
from .log import EncodedFinding, Level, LogFile, LoggedStates, Manifest, read_log
from .master import LogDamaged
from .owning import owner_of, whole
from .program import Program, loaded
from .storage import Storage

Words = tuple[int, ...]

KEPT = 4
"""How many files of the log are kept in memory."""


class Came(NamedTuple):
    """Where a state came from: the hash of the state before, and the partition that has it."""

    hash: int
    partition: int


class Walker:
    """Finds states in the log of a run. A level is read one partition at a time: that of the owner."""

    def __init__(self, model: Model, program: Program, storage: Storage, manifest: Manifest) -> None:
        self.model, self.levels, self.storage, self.manifest = model, manifest.levels, storage, manifest
        self._owning = manifest.owning or whole(program.words)
        self._code = loaded(program)
        self._read: dict[str, LoggedStates] = {}
        self._words = program.words

    def findings(self) -> Findings:
        """What the search has found, with the runs to it."""
        found = Findings()
        for number, one in self.manifest.findings:
            if one.slot == FAILURE:
                found.failure = self._finding(number, one)
            else:
                found.shown[self.model.properties[one.slot].member.name] = self._finding(number, one)
        return found

    def _finding(self, number: int, found: EncodedFinding) -> Finding:
        """A finding made while level `number` was built, with the run to its state."""
        property = None if found.slot == FAILURE else self.model.properties[found.slot]
        instance = found.instance(property is not None and property.of_steps)
        run = self.run(number if instance is None else number - 1, found.words)
        return Finding(found.key, run, None if instance is None else self.instance(instance))

    @property
    def code(self) -> MachineCode:
        """The machine code of the model, as it was sent to the executors."""
        return self._code.model

    def states(self, file: LogFile) -> LoggedStates:
        """What a file of the log holds; the last ones that were read are kept."""
        if file.name not in self._read:
            while len(self._read) >= KEPT:
                del self._read[next(iter(self._read))]
            self._read[file.name] = read_log(self.storage, file)
        return self._read[file.name]

    def before(self, number: int, came: Came, instance: ActionInstance, after: Words) -> tuple[Words, Came, int]:
        """The state of a level that another came from, and how it was reached. Of several, one that Python leads on."""
        found = self._candidates(number, came)
        if not found:
            raise LogDamaged(f"level {number} of the log lacks the parent of a state of the next level")
        wanted = self.codes(after)
        return next((one for one in found if len(found) > 1 and self._leads(one[0], instance, wanted)), found[0])

    def run(self, number: int, words: Words) -> PlainRun:
        """The run to a state of a level."""
        steps: list[Step] = []
        came, action = self._logged(number, words)
        while number > 0:
            instance = self.instance(action)
            steps.append(Step(instance, self.codes(words)))
            number -= 1
            words, came, action = self._parent(number, came, instance, words)
        return self.codes(words), tuple(reversed(steps))

    def _logged(self, number: int, words: Words) -> tuple[Came, int]:
        """Where a state of a level came from, and by which action."""
        place = Came(state_hash(words), owner_of(self._owning, words, self.levels[number].shards))
        for candidate, came, action in self._candidates(number, place):
            if candidate == words:
                return came, action
        raise LogDamaged(f"level {number} of the log lacks a state that was found in it")

    def _parent(self, number: int, came: Came, instance: ActionInstance, after: Words) -> tuple[Words, Came, int]:
        """The state of a level that another came from by an instance; and how it was reached itself.

        Raises SemanticsDisagree if Python takes that step from none of those that it may be.
        """
        found = self.before(number, came, instance, after)
        if not self._leads(found[0], instance, self.codes(after)):
            raise self._no_step(self.codes(found[0]), instance, self.codes(after))
        return found

    def _no_step(self, before: Codes, instance: ActionInstance, after: Codes) -> SemanticsDisagree:
        """The step by which the log says that a state was reached is not one that Python takes."""
        protocol = self.model.protocol
        answers = [("spark", result_in_words(protocol, before, after))]
        try:
            ours = None if misfit(protocol, before) else protocol.step(protocol.at(before), instance)
            says = "not enabled" if ours is None else result_in_words(protocol, before, ours)
        except EvaluationError as error:
            says = f"cannot be evaluated: {error}"
        return disagree_on_step(protocol, before, instance, [*answers, ("python", says)], after)

    def _leads(self, words: Words, instance: ActionInstance, wanted: Codes) -> bool:
        protocol, codes = self.model.protocol, self.codes(words)
        if misfit(protocol, codes):
            return False
        try:
            return protocol.step(protocol.at(codes), instance) == wanted
        except EvaluationError:
            return False

    def _candidates(self, number: int, place: Came) -> list[tuple[Words, Came, int]]:
        """Every state of a level that may be there: where it came from, and by which action."""
        level: Level = self.levels[number]
        found = []
        for file in level.of(place.partition if level.shards > 1 else 0, level.shards):
            states = self.states(file)
            at = self._code.find(states.address, 0, states.count, place.hash)
            while at < states.count:
                found.append((self.state(states, at), *self.reached(states, at)))
                at = self._code.find(states.address, at + 1, states.count, place.hash)
        return found

    def reached(self, states: LoggedStates, index: int) -> tuple[Came, int]:
        """Where a state in a file came from, and by which action."""
        parent, sender, action = (column[index].as_py() for column in (states.parents, states.senders, states.actions))
        return Came(parent, sender), action

    def state(self, states: LoggedStates, index: int) -> Words:
        """The words of a state in a file."""
        at = states.address + 8 * self._words * index
        return tuple((ctypes.c_uint64 * self._words).from_address(at))

    def codes(self, words: Words) -> Codes:
        """The codes of a state."""
        return self.model.layout.unpack(words)

    def instance(self, action: int) -> ActionInstance:
        """The instance with this place in the model."""
        return self.model.instances[action].instance


# -- cross check ------------------------------------------------------------------------------------------------------
# The cross-check of a search on Spark: a sample of its log, repeated in the Python semantics by the driver. The machine
# code is what was sent to the executors. Of each level one partition's file is read at a time, and the row whose
# parent's hash comes first, in a seeded order, is taken: the same one in whichever order the states arrived.


@dataclass(frozen=True)
class _Logged:
    """A state of the log: its level and words, where it came from, and the instance, by its place in the model."""

    level: int
    words: tuple[int, ...]
    came: Came
    action: int


class LoggedSample(ReachedStates[_Logged]):
    """The states of a log in the order in which they are to be repeated: spread over levels and actions."""

    def __init__(self, walker: Walker, members: Sequence[Member], liveness: Callable[[], LivenessCode]) -> None:
        answers = MachineAnswers("spark", walker.model, walker.code, members, liveness=liveness)
        super().__init__(CrossChecker(walker.model.protocol, members, answers))
        self._walker = walker
        self._random = random.Random(SEED)
        self._actions = [compiled.instance.action.name for compiled in walker.model.instances]

    def some(self) -> Iterator[_Logged]:
        """States of each level in turn; and before a step of an action that was enabled in none of them so far."""
        levels = spread([number for number, level in enumerate(self._walker.levels) if level.count])
        total, told = sum(level.count for level in self._walker.levels), set[tuple[int, tuple[int, ...]]]()
        fruitless = 0
        while len(told) < total and fruitless < 2 * len(levels):
            for level in levels:
                fruitless += 1
                for one in self._of_level(level):
                    if (one.level, one.words) not in told:
                        fruitless = 0
                        told.add((one.level, one.words))
                        yield one
        yield from (one for one in self.every() if (one.level, one.words) not in told)

    def every(self) -> Iterator[_Logged]:
        """Every state, level by level."""
        for number, level in enumerate(self._walker.levels):
            for file in level.files:
                if file.count:
                    states = self._walker.states(file)
                    yield from (self._row(number, states, at) for at in range(states.count))

    def codes(self, state: _Logged) -> Codes:
        return self._walker.codes(state.words)

    def came_from(self, state: _Logged) -> tuple[Codes, ActionInstance] | None:
        if not state.level:
            return None
        instance = self._walker.instance(state.action)
        before, _, _ = self._walker.before(state.level - 1, state.came, instance, state.words)
        return self._walker.codes(before), instance

    def run_to(self, state: _Logged) -> PlainRun:
        return self._walker.run(state.level, state.words)

    def _of_level(self, number: int) -> Iterator[_Logged]:
        """A state of a level, and states before steps of actions that led to the level and are not covered yet."""
        files = [file for file in self._walker.levels[number].files if file.count]
        states = self._walker.states(files[self._random.randrange(len(files))])
        order = states.parents.to_numpy() ^ np.uint64(self._random.getrandbits(64))
        yield self._first(number, states, order, np.arange(states.count))
        if not number:
            return
        actions = states.actions.to_numpy()
        for place in np.unique(actions).tolist():
            if not self.checker.enabled[self._actions[place]]:  # asked each time: the states before may have covered it
                yield self._parent(self._first(number, states, order, np.flatnonzero(actions == place)))

    def _first(self, number: int, states: LoggedStates, order: object, rows: object) -> _Logged:
        """Of some rows the one whose parent comes first in an order; of its siblings the least."""
        keys = np.asarray(order)[np.asarray(rows)]
        first = np.asarray(rows)[np.flatnonzero(keys == keys.min())]
        found = (self._row(number, states, at) for at in first.tolist())
        return min(found, key=lambda one: (one.action, one.words))

    def _parent(self, child: _Logged) -> _Logged:
        """The state that another was reached from."""
        instance = self._walker.instance(child.action)
        return _Logged(child.level - 1, *self._walker.before(child.level - 1, child.came, instance, child.words))

    def _row(self, number: int, states: LoggedStates, at: int) -> _Logged:
        return _Logged(number, self._walker.state(states, at), *self._walker.reached(states, at))
