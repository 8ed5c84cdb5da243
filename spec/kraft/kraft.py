"""The modern protocol, put together from its roles."""

from __future__ import annotations

from typing import ClassVar

from .broker_lifecycle import BrokerLifecycle
from .liveness import Liveness
from .mechanisms import Mechanisms
from .producer import Producer
from .properties import Properties
from .safeguards import Safeguards


class Kraft(BrokerLifecycle, Producer, Properties, Safeguards, Mechanisms, Liveness):
    """Kafka 4.1 with eligible leader replicas: AlterPartition, fencing, broker epochs, strict high watermark, ELR."""

    name: ClassVar[str] = "kraft"
