"""A share partition, put together."""

from __future__ import annotations

from typing import ClassVar

from .properties import Promises
from .views import ShareViews


class ShareGroups(Promises, ShareViews):
    """A share partition with every rule that its properties need, also those that Kafka does not have yet."""

    name: ClassVar[str] = "share-groups"
