"""From a state back to an initial one: the run that a backward walk through the log tells."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

from epochal.spec.language import ActionInstance, EvaluationError

from ...disagreement import ReadingsDisagree, disagree_on_step, misfit, result_in_words
from ...ir.digest import state_hash
from ...ir.model import Model
from ...native.kernel.vocabulary import FAILURE
from ...native.llvm.jit import MachineCode
from ...reading import Codes
from ...trace.trace import Step
from ..findings import Finding, Run
from .errors import LogDamaged
from .findings import EncodedFinding
from .log import Level, LogFile, LoggedStates, read_log
from .manifest import Manifest
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
        self.model, self.levels, self._storage = model, manifest.levels, storage
        self._owning = manifest.owning or whole(program.words)
        self._code = loaded(program)
        self._read: dict[str, LoggedStates] = {}
        self._words = program.words

    def finding(self, number: int, found: EncodedFinding) -> Finding:
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
            self._read[file.name] = read_log(self._storage, file)
        return self._read[file.name]

    def before(self, number: int, came: Came, instance: ActionInstance, after: Words) -> tuple[Words, Came, int]:
        """The state of a level that another came from, and how it was reached. Of several, one that Python leads on."""
        found = self._candidates(number, came)
        if not found:
            raise LogDamaged(f"level {number} of the log lacks the parent of a state of the next level")
        wanted = self.codes(after)
        return next((one for one in found if len(found) > 1 and self._leads(one[0], instance, wanted)), found[0])

    def run(self, number: int, words: Words) -> Run:
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

        Raises ReadingsDisagree if Python takes that step from none of those that it may be.
        """
        found = self.before(number, came, instance, after)
        if not self._leads(found[0], instance, self.codes(after)):
            raise self._no_step(self.codes(found[0]), instance, self.codes(after))
        return found

    def _no_step(self, before: Codes, instance: ActionInstance, after: Codes) -> ReadingsDisagree:
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
