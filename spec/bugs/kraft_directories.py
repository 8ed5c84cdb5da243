"""What goes wrong in the modern protocol where a broker has several log directories (KIP-113, KIP-858)."""

from __future__ import annotations

from ..kraft.settings import Settings
from .known_bug import KnownBug
from .kraft_findings import NEWEST

DIRECTORIES: tuple[KnownBug, ...] = (
    KnownBug(
        id="H13",
        title="A broker stops while its replica moves to another log directory, and comes back with the shorter log",
        tickets=("LogManager.recoverAbandonedFutureLogs; no ticket known", "KAFKA-16082", "KIP-858"),
        versions="3.7.1 to 4.4, with several log directories",
        faulty=Settings(abandoned_future_log_has_caught_up=False),
        sound=NEWEST,
        properties=("leader_completeness",),
        bounds={"max_epoch": 2, "fencings": 2},
        story=(
            "All of it is clean. The replica of b1 moves to another log directory. Its future log has caught up, and "
            "the controller accepts that the replica lies there (AssignReplicasToDirs), but before the future log "
            "takes the place of the current one r0 is appended, committed by both brokers and acknowledged, and b1 "
            "shuts down. When it starts, it finds a future log where the controller has its replica, takes it for the "
            "rest of a disk failure, and deletes the current log, which has r0 (recoverAbandonedFutureLogs). Its "
            "shutdown was clean, so it is eligible. b2 shuts down before b1 has fetched, and b1 is elected without "
            "r0. Without ELR it takes the last member of the ISR; with one replica it takes nothing but a restart. In "
            "the model; no report is known, and no running Kafka has shown it yet."
        ),
    ),
)
