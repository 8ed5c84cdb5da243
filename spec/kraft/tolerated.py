"""Kafka with eligible leader replicas, and no more crashes than these tolerate: what is proved for every bound."""

from __future__ import annotations

from typing import ClassVar

from ..language import action, lemma, require
from .commit_proof import KraftProof
from .state import Offset, Replica


class KraftTolerated(KraftProof):
    """KRaft with eligible leader replicas as designed, and fewer crashes than `min.insync.replicas`.

    So many ELR tolerates (KIP-966), and N2 is one more. Within bounds those on crashes say so; where bounds are any
    numbers a rule has to. Its other steps, and the lemmas, are those of `kraft-proof`.
    """

    name: ClassVar[str] = "kraft-tolerated"

    @action(by="broker", says="{broker} crashes with its log up to offset {kept} on disk")
    def crash(self, broker: Replica, kept: Offset) -> None:
        """As always, if with this crash there are fewer than `min.insync.replicas`."""
        require(self.used.crashes + self.used.lossy_crashes + 1 < self.min_isr())
        super().crash(broker, kept)

    @lemma
    def crashes_are_tolerated(self) -> bool:
        """Fewer crashes have happened than `min.insync.replicas` says."""
        return self.used.crashes + self.used.lossy_crashes < self.min_isr()
