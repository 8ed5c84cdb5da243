"""KIP-320 with history: the same steps, which also remember what was committed, and the lemmas of its proof."""

from __future__ import annotations

from typing import ClassVar

from .commit_history import CommitHistory
from .kip_279 import Kip279
from .kip_320 import Kip320


class Kip320Proof(CommitHistory, Kip320):
    """KIP-320 with history: what was committed and when, and the lemmas that prove that it is never lost.

    The steps are those of KIP-320. `epochal prove` shows that each preserves the lemmas, which imply strong_isr.
    """

    name: ClassVar[str] = "kip-320-proof"


class Kip279Proof(CommitHistory, Kip279):
    """KIP-279 with history and the lemmas of KIP-320: the proof fails, at the steps that KIP-320 fences."""

    name: ClassVar[str] = "kip-279-proof"
