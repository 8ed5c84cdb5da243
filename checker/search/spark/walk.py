"""From a finding back to an initial state: the run that a backward walk through the log tells."""

from __future__ import annotations

import ctypes

from checker.compile.model import Model
from checker.native.kernel_text import FAILURE
from checker.reading import Codes
from checker.search.digest import state_hash
from checker.search.findings import Finding, Run
from checker.trace.trace import Step
from spec.language import ActionInstance, EvaluationError

from .errors import LogDamaged
from .findings import Found
from .log import Level, LoggedStates, read_log
from .manifest import Manifest
from .program import Program, loaded
from .storage import Storage

Words = tuple[int, ...]


class Walker:
    """Finds states in the log of a run. A level is read one partition at a time: that of the owner."""

    def __init__(self, model: Model, program: Program, storage: Storage, manifest: Manifest) -> None:
        self._model, self._storage, self._levels = model, storage, manifest.levels
        self._code = loaded(program)
        self._words = program.words

    def finding(self, number: int, found: Found) -> Finding:
        """A finding made while level `number` was built, with the run to its state."""
        property = None if found.slot == FAILURE else self._model.properties[found.slot]
        instance = found.instance(property is not None and property.of_steps)
        run = self._run(number if instance is None else number - 1, found.words)
        return Finding(found.key, run, None if instance is None else self._instance(instance))

    def _run(self, number: int, words: Words) -> Run:
        """The run to a state of a level."""
        steps: list[Step] = []
        parent, action = self._logged(number, words)
        while number > 0:
            instance = self._instance(action)
            steps.append(Step(instance, self._codes(words)))
            number -= 1
            words, parent, action = self._parent(number, parent, instance, words)
        return self._codes(words), tuple(reversed(steps))

    def _logged(self, number: int, words: Words) -> tuple[int, int]:
        """The hash of the parent, and the action, of a state of a level."""
        for candidate, parent, action in self._candidates(number, state_hash(words)):
            if candidate == words:
                return parent, action
        raise LogDamaged(f"level {number} of the log lacks a state that was found in it")

    def _parent(self, number: int, hash: int, instance: ActionInstance, after: Words) -> tuple[Words, int, int]:
        """The state of a level with this hash from which the instance leads to a state; with its own parent."""
        wanted = self._codes(after)
        for candidate, parent, action in self._candidates(number, hash):
            if self._leads(candidate, instance, wanted):
                return candidate, parent, action
        raise LogDamaged(f"level {number} of the log lacks the parent of a state of the next level")

    def _leads(self, words: Words, instance: ActionInstance, wanted: Codes) -> bool:
        protocol = self._model.protocol
        try:
            return protocol.step(protocol.at(self._codes(words)), instance) == wanted
        except EvaluationError:
            return False

    def _candidates(self, number: int, hash: int) -> list[tuple[Words, int, int]]:
        """Every state of a level with this hash, with the hash of its parent and its action."""
        level: Level = self._levels[number]
        shard = (hash & 0xFFFFFFFF) * level.shards >> 32
        found = []
        for file in level.of(shard, level.shards):
            states = read_log(self._storage, file)
            at = self._code.find(states.address, 0, states.count, hash)
            while at < states.count:
                found.append((self._state(states, at), states.parents[at].as_py(), states.actions[at].as_py()))
                at = self._code.find(states.address, at + 1, states.count, hash)
        return found

    def _state(self, states: LoggedStates, index: int) -> Words:
        at = states.address + 8 * self._words * index
        return tuple((ctypes.c_uint64 * self._words).from_address(at))

    def _codes(self, words: Words) -> Codes:
        return self._model.layout.unpack(words)

    def _instance(self, action: int) -> ActionInstance:
        return self._model.instances[action].instance
