"""A diskless partition, put together."""

from __future__ import annotations

from typing import ClassVar

from .properties import DisklessPromises
from .views import DisklessViews


class Diskless(DisklessPromises, DisklessViews):
    """A diskless partition with every rule that its properties need, also those that no sentence of KIP-1164 is yet."""

    name: ClassVar[str] = "diskless"
