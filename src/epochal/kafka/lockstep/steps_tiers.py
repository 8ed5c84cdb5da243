"""Tiered storage (KIP-405): uploads, what is taken to be uploaded, and what leaves the disk and the remote tier.

`RemoteLogManager` with its tasks is Kafka's, and so is the table in which segments are looked up by epoch
(`RemotePartitionMetadataStore`). The store of the segments is in memory; what brokers write in `__remote_log_metadata`
is known to all of them at once, as in the specification. A record is a segment: logs are rolled after each.
"""

from __future__ import annotations

from collections.abc import Iterable

from epochal.spec.kraft.options.copied_offset import CopiedByEpoch
from epochal.spec.kraft.options.cut_before_disk import CutBeforeDisk
from epochal.spec.kraft.options.expiry_by_size import ExpiryBySize
from epochal.spec.kraft.options.found_log_start import FoundLogStart
from epochal.spec.kraft.options.half_begun import HalfBegunFollowers
from epochal.spec.kraft.options.tiered_storage import NOTHING, TieredStorage
from epochal.spec.language import Identifier, Set

from .family import SEGMENTS, Family, KafkaRequest, Leaves, Said, shown_log

TIERED_STORAGE = "tiered-storage"
"""A mode of a cluster, as `Cluster.java` has it."""


def _refused(known: TieredStorage, request: KafkaRequest) -> str:
    """What the specification takes otherwise.

    A leader looks up what is uploaded in the first run of its copy task alone; whoever has noted anything as leader has
    had that run. UnifiedLog.truncateTo keeps where the disk begins as long as a segment is left to cut, also where the
    log ends before that now; where none is, the log begins anew, which is a mechanism of its own (T5). An answer
    that is lost says in the specification that the follower has what it asks from, also where Kafka's leader has that
    in the remote tier alone. What was uploaded counts as uploaded when it has been deleted there
    (RemoteLogLeaderEpochState), so that it is not uploaded again. And Kafka's expiration task deletes segments of other
    lineages, and a leader that has noted nothing looks up first what is uploaded (since 4.4, KAFKA-20732).
    """
    if request.action == "upload" and request["offset"] < known.deleted:
        return "what was deleted elsewhere is not uploaded again"
    if request.action == "delete_remote":
        leader = request["leader"]
        if any(all(one.id != id for one in known.brokers[leader].log) for id in known.remote):
            return "segments of other lineages are deleted as well"
        if known.believed[leader] == NOTHING:
            return "expiry looks up what is uploaded"
    if request.action == "look_up":
        broker = request["broker"]
        if known.presumes_leadership(broker) and known.believed[broker] > NOTHING:
            return "a leader looks up once what is uploaded"
    if request.action in ("fetch", "fetch_without_answer"):
        follower, leader = request["follower"], request["leader"]
        begins_anew = isinstance(known, CutBeforeDisk) and known.log_start[follower] < known.local_start[follower]
        if _ends_after(known, follower, leader) < known.local_start[follower] and not begins_anew:
            return "a log is cut to before its disk begins"
        if request.action == "fetch_without_answer" and known.end(follower) < known.local_start[leader]:
            return "the answer is lost that what is asked for is in the remote tier alone"
    return ""


def _has_no_copy_task(known: FoundLogStart, _: KafkaRequest) -> str:
    """Why a run without the rule of KAFKA-15351 is not put to Kafka: that a leader never looks is no step."""
    return "" if known.settings.leader_finds_log_start else "the copy task of every release looks for the log start"


def _ends_after(state: TieredStorage, follower: Identifier, leader: Identifier) -> int:
    """Where the follower's log ends once it has cut what the leader does not have."""
    if state.diverges(follower, leader):
        return state.truncation_offset(follower, leader)
    return min(state.end(follower), max(state.end(leader), state.log_start[leader]))


# -- what is compared -------------------------------------------------------------------------------------------------


def _tiers(start: int, uploaded: int) -> dict[str, str]:
    return {"disk starts at": str(start), "takes for uploaded": "nothing" if uploaded < 0 else f"up to {uploaded}"}


def _tiers_in_model(known: TieredStorage, broker: Identifier) -> Leaves:
    """Of a log the disk alone is read, and not what is before it in the remote tier."""
    start = known.local_start[broker]
    left = [(record.id, record.epoch) for record in known.brokers[broker].log][start:]
    return {"log": shown_log(left), **_tiers(start, known.believed[broker])}


def _decode_tiers(known: TieredStorage, broker: Identifier, said: Said) -> None:
    known.local_start[broker], known.believed[broker] = said["localStart"], said["uploaded"]


def _remote(ids: Iterable[int]) -> Leaves:
    return {"remote tier": " ".join(f"r{id}" for id in sorted(ids)) or "empty"}


def _decode_remote(known: TieredStorage, said: Said) -> None:
    known.remote = Set(id for id, _ in said["remote"])


FAMILIES = (
    Family(
        TieredStorage,
        {
            **SEGMENTS,
            "upload": "upload:{leader}",
            "look_up": "look_up:{broker}",
            "delete_remote": "delete_remote:{leader}",
            "delete_local": "delete_local:{broker}:{offset}",
        },
        frozenset({"remote", "local_start", "believed"}),
        told_by_model=_tiers_in_model,
        told_by_kafka=lambda said: _tiers(said["localStart"], said["uploaded"]),
        decode=_decode_tiers,
        shared_in_model=lambda state: _remote(state.remote),
        shared_in_kafka=lambda said, _: _remote(id for id, _ in said["remote"]),
        decode_shared=_decode_remote,
        refused=_refused,
        second_round={"fetch_without_answer": SEGMENTS["fetch"]},
        brought_along=True,
    ),
    Family(CutBeforeDisk, {}, frozenset(), brought_along=True),
    Family(
        FoundLogStart,
        {"find_log_start": "look_up:{leader}"},
        frozenset(
            {"segment_at", "segment_of", "deleting", "found", "copy_disabled", "expired"}
        ),  # seen in what is done by them
        refused=_has_no_copy_task,
        brought_along=True,
    ),
    Family(
        HalfBegunFollowers,
        {"fail_to_begin": "store:0 fetch:{follower}:{leader} store:1"},
        frozenset({"known_from", "half_begun"}),
        brought_along=True,
    ),
    Family(CopiedByEpoch, {}, frozenset({"copied"}), brought_along=True),  # it is seen in what is taken for uploaded
    Family(ExpiryBySize, {"expire_by_size": "expire_by_size:{leader}"}, frozenset(), brought_along=True),
)
