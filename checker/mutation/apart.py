"""Mutants judged apart from each other, in any process: each process searches the protocol itself once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from epochal.checker.search import breadth_first
from epochal.checker.search.result import Options
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.door import load

from .mutants import Mutant, mutants_of
from .outcomes import Judge, Outcome


@dataclass(frozen=True)
class MutantJudge:
    """A protocol that has been searched, and its mutants by id."""

    judge: Judge
    mutants: Mapping[str, Mutant]

    def outcome_of(self, id: str) -> Outcome:
        """What becomes of a mutant."""
        return self.judge.outcome(self.mutants[id])


@lru_cache(maxsize=2)
def judge_of(reference: str, bounds: tuple[tuple[str, int], ...], options: tuple[tuple[str, Any], ...]) -> MutantJudge:
    """The judge of a protocol's mutants; a few are kept. `options` are those of the searches.

    Raises EpochalError if the protocol itself cannot be searched completely.
    """
    protocol = load(reference, **dict(bounds))
    asked = Options(**{"all_violations": True, "liveness": True, "workers": 1, **dict(options)})
    original = breadth_first.check(protocol, asked)
    if original.error is not None or not original.exhaustive:
        why = original.cut if original.error is None else original.error.message
        code = ExitCode.INCONCLUSIVE if original.error is None else ExitCode.EVALUATION_FAILED
        raise EpochalError(f"{reference} itself cannot be searched completely: {why}", exit_code=code)
    judge = Judge(original, breadth_first.check, replace(asked, all_violations=False))
    return MutantJudge(judge, {mutant.id: mutant for mutant in mutants_of(protocol)})
