"""The leader-epoch cache, put together."""

from __future__ import annotations

from typing import ClassVar

from .properties import Properties


class LeaderEpochCache(Properties):
    """The leader-epoch cache of a replica, with every rule: what is truncated is written before it goes on."""

    name: ClassVar[str] = "leader-epoch-cache"
