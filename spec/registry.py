"""The specifications that can be named on the command line."""

from __future__ import annotations

import importlib

from spec.language import LoadError, Protocol

REGISTRY: dict[str, str] = {
    "truncate-to-hw": "spec.classic.truncate_to_hw:TruncateToHw",
    "kip-101": "spec.classic.kip_101:Kip101",
    "kip-279": "spec.classic.kip_279:Kip279",
    "kip-320-first-try": "spec.classic.kip_320_first_try:Kip320FirstTry",
    "kip-320": "spec.classic.kip_320:Kip320",
    "kip-320-as-shipped": "spec.classic.kip_320_as_shipped:Kip320AsShipped",
    "kip-320-m1": "spec.classic.mutants:Kip320M1",
    "kip-320-m2": "spec.classic.mutants:Kip320M2",
    "kip-320-m3": "spec.classic.mutants:Kip320M3",
    "kip-320-proof": "spec.classic.kip_320_proof:Kip320Proof",
    "kip-279-proof": "spec.classic.kip_320_proof:Kip279Proof",
    "async-isr": "spec.classic.async_isr:AsyncIsr",
    "quorum": "spec.quorum.quorum:Quorum",
    "quorum-hw-any-epoch": "spec.quorum.switches:QuorumHwAnyEpoch",
    "quorum-vote-any-log": "spec.quorum.switches:QuorumVoteAnyLog",
    "quorum-vote-not-persisted": "spec.quorum.switches:QuorumVoteNotPersisted",
    "quorum-no-pre-vote": "spec.quorum.switches:QuorumNoPreVote",
    "quorum-lost-disk": "spec.quorum.switches:QuorumLostDisk",
    "quorum-uncommitted-replay": "spec.quorum.switches:QuorumUncommittedReplay",
    "quorum-change-log": "spec.quorum.change_log:QuorumChangeLog",
    "quorum-proof": "spec.quorum.election_history:QuorumProof",
    "quorum-vote-not-persisted-proof": "spec.quorum.election_history:QuorumVoteNotPersistedProof",
    "zookeeper": "spec.zookeeper.zookeeper:ZooKeeper",
    "zookeeper-unfenced-controller": "spec.zookeeper.zombie:ZooKeeperUnfencedController",
    "zookeeper-lost-disk": "spec.zookeeper.lost_disk:ZooKeeperLostDisk",
    "zookeeper-no-broker-epochs": "spec.zookeeper.lost_disk:ZooKeeperNoBrokerEpochs",
    "zookeeper-alter-isr": "spec.zookeeper.alter_isr:ZooKeeperAlterIsr",
    "zookeeper-stale-confirmation": "spec.zookeeper.alter_isr:ZooKeeperStaleConfirmation",
    "kraft": "spec.kraft.configuration:ConfigurableKraft",
    "kraft-kip-320": "spec.kraft.classic_refinement:KraftKip320",
    "balancing-zookeeper": "spec.balancing.policies:ZooKeeperBalancing",
    "balancing-kraft": "spec.balancing.policies:KraftBalancing",
}


def registered(name: str) -> type[Protocol]:
    """The protocol registered under `name`. Raises LoadError if there is none."""
    if name not in REGISTRY:
        raise LoadError(f"no protocol is named {name!r}", advice=f"Registered: {', '.join(REGISTRY)}.")
    module, _, attribute = REGISTRY[name].partition(":")
    found: type[Protocol] = getattr(importlib.import_module(module), attribute)
    return found
