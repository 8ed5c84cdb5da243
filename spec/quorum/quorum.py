"""The metadata quorum of Kafka 4.0."""

from __future__ import annotations

from typing import ClassVar

from .election import Election
from .promises import Promises
from .properties import Properties
from .restart import Restart
from .views import Views


class Quorum(Election, Restart, Properties, Promises, Views):
    """Kafka 4.0: the KRaft metadata quorum, Raft with pull-based replication and pre-vote (KIP-595, KIP-996)."""

    name: ClassVar[str] = "quorum"
