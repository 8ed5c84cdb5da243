"""The version of the definition of the gate's digests."""

from __future__ import annotations

from typing import Final

FORMAT: Final = 1
"""Changes when the definition of the digests does, so that digests of different definitions are never equal."""
