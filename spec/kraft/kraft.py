"""The modern protocol, put together from its roles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from ..language import Bounds, LanguageError
from ..language.configurable import Reduced
from ..language.functions import class_line
from .broker_lifecycle import BrokerLifecycle
from .liveness import Liveness
from .mechanisms import Mechanisms
from .options.needed import missing_steps
from .producer import Producer
from .properties import Properties
from .reductions import void_if_changed
from .safeguards import Safeguards
from .views import Views


class Kraft(BrokerLifecycle, Producer, Properties, Safeguards, Mechanisms, Liveness, Views, Reduced):
    """KRaft with eligible leader replicas as designed: every rule of Kafka 4.1 and newer, and N1 and S15 closed."""

    name: ClassVar[str] = "kraft"

    def __init__(self, bounds: Bounds | None = None, **named: int) -> None:
        kind = type(self)
        missing = missing_steps(kind, kind.settings)
        if missing:
            setting, steps = next(iter(missing.items()))
            raise LanguageError(
                f"{setting} is not as in the newest Kafka, and {kind.__name__} lacks steps that read it",
                class_line(kind),
                f"Derive it from {steps.__module__}.{steps.__name__} too, or make it by with_settings, which does so.",
            )
        super().__init__(bounds, **named)

    @classmethod
    def remarks_if_changed(cls, rules: Iterable[str]) -> tuple[str, ...]:
        """What a search of a copy cannot tell in which these rules are changed, and no step is taken apart for it."""
        return tuple(map(str, void_if_changed(cls, rules)))
