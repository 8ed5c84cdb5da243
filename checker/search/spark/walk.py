"""From a finding back to an initial state: the run that a backward walk through the log tells."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import replace

from checker.compile.model import Model
from checker.reading import Codes, evaluate_everything
from checker.search.digest import state_hash
from checker.search.result import EvaluationFinding
from checker.trace.trace import Step, Trace
from spec.language import ActionInstance, EvaluationError

from .errors import LogDamaged
from .findings import STATE, STEP, Found
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

    def trace(self, number: int, found: Found, property_id: str, verdict: str) -> Trace:
        """The run to a finding made while level `number` was built."""
        if found.kind == STATE:
            return self._to(number, found.words, (), property_id, verdict)
        if found.failed:
            return self._to(number - 1, found.words, (), property_id, verdict)
        instance = self._instance(found.key[0] if found.kind == STEP else found.key[1])
        after = self._step(self._codes(found.words), instance)
        return self._to(number - 1, found.words, (Step(instance, after),), property_id, verdict)

    def _to(self, number: int, words: Words, last: tuple[Step, ...], property_id: str, verdict: str) -> Trace:
        """The run to a state of a level, then the last steps."""
        steps = list(reversed(last))
        parent, action = self._logged(number, words)
        while number > 0:
            instance = self._instance(action)
            steps.append(Step(instance, self._codes(words)))
            number -= 1
            words, parent, action = self._parent(number, parent, instance, words)
        return Trace(self._model.protocol, self._codes(words), tuple(reversed(steps)), property_id, verdict)

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

    def _step(self, codes: Codes, instance: ActionInstance) -> Codes:
        protocol = self._model.protocol
        after = protocol.step(protocol.at(codes), instance)
        assert after is not None, "the two readings disagree on whether a step is enabled"
        return after

    def error(self, findings: Sequence[tuple[int, Found]], chosen: frozenset[str]) -> EvaluationFinding | None:
        """The first rule that could not be evaluated, worded by the Python reading."""
        failed = [(number, found) for number, found in findings if found.failed]
        if not failed:
            return None
        number, found = min(failed, key=_when)
        trace = self.trace(number, found, "", "error")
        base = trace
        if found.kind != STATE:
            instance = self._instance(found.key[0] if found.kind == STEP else found.key[1])
            try:
                step = Step(instance, self._step(self._codes(found.words), instance))
                trace = replace(trace, steps=(*trace.steps, step))
            except EvaluationError:
                trace = base
        members = [p.member for p in self._model.properties if p.member.name in chosen]
        shown = {f.bit for _, f in findings if not f.failed}
        still_open = [
            p.member for i, p in enumerate(self._model.properties) if i not in shown and p.member.name in chosen
        ]
        for judged in (still_open, members):
            try:
                evaluate_everything(self._model.protocol, self._codes(found.words), judged)
            except EvaluationError as error:
                return EvaluationFinding(error.message, error.where, error.where.function if error.where else "", trace)
        raise AssertionError("the native reading fails where the Python reading does not")


def _when(finding: tuple[int, Found]) -> tuple[int, int, tuple[int, ...]]:
    """Failing steps of a level come before failing judgements of the states it finds."""
    number, found = finding
    return number, (STEP, "left", STATE).index(found.kind), found.key
