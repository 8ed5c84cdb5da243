"""Requests against the metadata log: AlterPartition as the controller answers it, and fetches as a leader does."""

from __future__ import annotations

from collections.abc import Iterable

from epochal.evidence.request_log import NO_ERROR, Fetched, Proposed, Request

from .held import Known
from .line import LeftOut, Wrong, leader_of, listed, told
from .partition_history import Life, Named

PROPOSAL, FETCH = "AlterPartition requests", "fetches of followers"
NEW_LEADER_ELECTED = 108
"""The controller has accepted a proposal that ends a reassignment, by which the leader leads no longer."""


class Requested:
    """The requests of one log, in its order."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._lives: dict[Named, list[Life]] = {}
        self._names: dict[Named, Named] = {}
        for of, lives in known.history.items():
            self._lives[of], self._names[of] = lives, of
            for life in lives:
                self._lives[life.topic_id, of[1]], self._names[life.topic_id, of[1]] = [life], of
        self._hw: dict[tuple[str, int, int, int], int] = {}

    def named(self, request: Request) -> Named:
        """The partition by the name of its topic."""
        return self._names[request.topic, request.number]

    def take(self, request: Request) -> str | None:
        """Judge a request. What it counts as; None if it tells of nothing that is judged.

        Raises Wrong for one that cannot be, and LeftOut for one that cannot be judged.
        """
        lives = self._lives.get((request.topic, request.number))
        if lives is None:
            raise LeftOut("the metadata log here has no such partition")
        if isinstance(request, Proposed):
            return self._proposed(request, lives)
        assert isinstance(request, Fetched)  # there is no other
        return self._fetched(request, lives)

    def _proposed(self, request: Proposed, lives: Iterable[Life]) -> str | None:
        """`Controller.handle_alter_partition`: accepted only of whom the controller has as the leader, at this epoch.

        The answer is the partition as the change has made it, which is its next partition epoch.
        """
        accepted = request.error in (NO_ERROR, NEW_LEADER_ELECTED)
        if not accepted:
            return None
        life = next((one for one in lives if request.partition_epoch in one.at), None)
        if life is None:
            raise LeftOut("its partition epoch is not in the metadata log here")
        before = life.at[request.partition_epoch]
        if (before.leader, before.leader_epoch) != (request.sender, request.leader_epoch):
            raise Wrong(
                "AlterPartition is accepted of " + told(request.sender, request.leader_epoch, {}),
                told(before.leader, before.leader_epoch, {}, request.partition_epoch),
            )
        if request.answer is None:
            after = life.at.get(request.partition_epoch + 1)
            if after is not None and after.leader == request.sender:
                raise Wrong(
                    f"AlterPartition of broker {request.sender} is answered with NEW_LEADER_ELECTED",
                    told(after.leader, after.leader_epoch, {}, after.partition_epoch),
                )
            return PROPOSAL
        self._answered(request, life)
        return PROPOSAL

    def _answered(self, request: Proposed, life: Life) -> None:
        answer = request.answer
        assert answer is not None  # the caller has looked
        said = told(leader_of(answer.leader), answer.leader_epoch, {"isr": answer.isr}, answer.partition_epoch)
        if answer.partition_epoch not in (request.partition_epoch, request.partition_epoch + 1):
            raise Wrong(
                f"the answer to AlterPartition at partition epoch {request.partition_epoch} is {said}",
                f"partition epoch {request.partition_epoch + 1}, or {request.partition_epoch} where nothing changed",
            )
        after = life.at.get(answer.partition_epoch)
        if after is None:
            raise LeftOut("its partition epoch is later than the metadata log here ends")
        if (after.leader, after.leader_epoch, after.isr) != (leader_of(answer.leader), answer.leader_epoch, answer.isr):
            raise Wrong(
                f"AlterPartition is answered with {said}",
                told(after.leader, after.leader_epoch, {"isr": after.isr}, after.partition_epoch),
            )
        if answer.isr != request.isr and not after.removing and not life.at[request.partition_epoch].removing:
            raise Wrong(
                f"AlterPartition asks for ISR {listed(request.isr)} and is answered with ISR {listed(answer.isr)}",
                f"ISR {listed(request.isr)}: no reassignment is on",
            )

    def _fetched(self, request: Fetched, lives: Iterable[Life]) -> str | None:
        """`Follower.fetch`: answered by whom the metadata log has as the leader of that epoch, and to a replica.

        A leader's high watermark never goes back (`Leader.advance_high_watermark`), so no follower is told less than
        it was told before.
        """
        if request.error != NO_ERROR:
            return None
        life = next((one for one in lives if request.leader_epoch in one.leaders), None)
        if life is None:
            raise LeftOut("its leader epoch is not in the metadata log here")
        leader = life.leaders[request.leader_epoch]
        found = f"a fetch of broker {request.sender} in leader epoch {request.leader_epoch} is answered"
        if leader is None or leader == request.sender:
            raise Wrong(found, told(leader, request.leader_epoch, {}))
        replicas = frozenset[int]().union(*(at.brokers for at in life.at.values()))
        if request.sender not in replicas:
            raise Wrong(found, f"a fetch of a replica: {listed(replicas)}")
        key = (life.topic_id, request.number, request.leader_epoch, request.sender)
        if request.high_watermark is not None:
            if request.high_watermark < self._hw.get(key, 0):
                raise Wrong(
                    f"{found} with high watermark {request.high_watermark}",
                    f"at least {self._hw[key]}: it was answered that before",
                )
            self._hw[key] = request.high_watermark
        return FETCH
