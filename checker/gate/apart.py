"""Models that nothing is known of, searched side by side before they are judged: each in a process of its own.

A process loads the model as the gate does and keeps its record in the cache, by the digest of the specification. What
it could not search completely is not kept: the gate then searches it itself, with all that there is, and tells why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from epochal.errors import EngineError, EpochalError

from ..host.measure import memory_limit
from ..tasks.chosen_engine import Where, apart
from ..tasks.worker_processes import usable_processors
from .model_search import ModelSearch
from .models import loaded
from .settings import ModelSettings

FEWEST = 3
"""How many models are worth other processes, each of which compiles its model again."""


@dataclass(frozen=True)
class Premises:
    """What a process needs to search models: the name of their file, the engine, and what each may take."""

    file: str
    engine: str
    budget: float | None
    max_memory: int


class ModelAnswering:
    """Searches models, and keeps what it finds in the cache."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises

    def answer(self, settings: ModelSettings, /) -> bool:
        """Whether a model was searched completely. What goes wrong is told by whoever searches it next."""
        premises = self._premises
        try:
            model = loaded(settings, premises.file)
            question = ModelSearch(model.protocol, settings.reference)
            record = question.searched(premises.engine, premises.budget, None, max_memory=premises.max_memory)
        except EpochalError:
            return False
        return record.exhaustive

    def interrupt(self) -> None:
        """Nothing: a process of its own is ended."""


def searched_apart(
    models: Sequence[ModelSettings], file: str, engine: str, seconds: float | None, told: Callable[[str], None]
) -> Iterator[str]:
    """The names of the models that were searched, as they come; none where processes are not worth it.

    `seconds` is the time for all of them.
    """
    count = usable_processors()
    if count < 2 or len(models) < FEWEST or engine not in ("auto", "native"):
        return
    rounds = -(-len(models) // count)
    budget = None if seconds is None else max(seconds / rounds, 0.1)
    premises = Premises(file, engine, budget, memory_limit() // count)
    told(f"checking {len(models)} models, {count} at a time")
    try:
        with apart(Where("local", count), ModelAnswering, len(models), lambda _: False) as answering:
            for number, complete in answering(premises, list(enumerate(models))):
                if complete:
                    told(f"checked {models[number].name}")
                    yield models[number].name
    except EngineError:  # no process could be started, or all were lost: the gate searches by itself
        return
