"""How people read the state of an epoch cache: the replica with its log, its cache, and what its file has."""

from __future__ import annotations

from ..language import view
from .state import NONE, EpochCacheState


class Views(EpochCacheState):
    """A line for each place where leader epochs are."""

    @view(of="replica")
    def replica_in_words(self) -> str:
        """Its role, and the epoch of each record from the log start offset on."""
        role = f"{'leads' if self.leads else 'follows'} e{self.leader_epoch}" if self.leader_epoch != NONE else "waits"
        records = " ".join(f"e{epoch}" for epoch in list(self.log)[self.start :])
        log = f"log from {self.start} {records}" if records else f"empty log at {self.start}"
        again = "; asks the same again" if self.in_vain else ""
        failed = f"; failed {self.failures}x" if self.failures > 0 else ""
        return f"{role}; {log}{again}{failed}"

    @view(of="cache")
    def cache_in_words(self) -> str:
        """Where each epoch begins."""
        return ", ".join(f"e{epoch} at {self.cache[epoch]}" for epoch in self.cache if self.cache[epoch] >= 0)

    @view(of="file")
    def file_in_words(self) -> str:
        """What was written of it."""
        return ", ".join(f"e{epoch} at {self.file[epoch]}" for epoch in self.file if self.file[epoch] >= 0)
