"""The known bugs of the leader-epoch cache, and what this project found in it (H5)."""

from __future__ import annotations

from .known_bug import KnownBug

OTHER_THAN_THE_LOG = (
    "every_record_has_its_epoch",
    "end_offsets_are_those_of_the_log",
    "epochs_are_those_of_the_log",
)

BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="KAFKA-10432",
        title="Recovery takes no record of epoch 0 into the leader-epoch cache",
        tickets=("KAFKA-10432",),
        versions="0.11 to 2.6.0",
        faulty="leader-epoch-cache-skips-epoch-0",
        sound="leader-epoch-cache",
        properties=("every_record_has_its_epoch", "epochs_are_those_of_the_log"),
    ),
    KnownBug(
        id="KAFKA-10706",
        title="A follower truncates to its log end offset, keeps an epoch that begins there, and asks again for ever",
        tickets=("KAFKA-10706",),
        versions="2.0.1 to 2.6.0",
        faulty="leader-epoch-cache-truncates-records-only",
        sound="leader-epoch-cache",
        properties=("nothing_is_asked_in_vain",),
    ),
    KnownBug(
        id="KAFKA-17142",
        title="An older copy of the leader-epoch cache is written over a newer file",
        tickets=("KAFKA-17142", "KAFKA-17166"),
        versions="none; it was taken back before 3.8.0",
        faulty="leader-epoch-cache-writes-snapshots",
        sound="leader-epoch-cache-writes-later",
        properties=("file_misses_no_epoch", *OTHER_THAN_THE_LOG),
    ),
    KnownBug(
        id="H5",
        title="A failure brings back an epoch that was truncated, over records of another one",
        tickets=("LeaderEpochFileCache.truncateFromEndAsyncFlush; no ticket known", "KAFKA-16541", "KAFKA-15046"),
        versions="3.8 to 4.4",
        faulty="leader-epoch-cache-writes-later",
        sound="leader-epoch-cache",
        properties=OTHER_THAN_THE_LOG,
        story=(
            "A follower truncates a record of a later epoch at offset 1, and with it the entry of that epoch. The file "
            "is to be written in the background, and still has the entry. The follower copies a record of the epoch "
            "before, which its cache knows already, so nothing is written. It fails, and starts with the file: the "
            "entry says that the later epoch begins at offset 1. Recovery truncates what begins beyond the log end, "
            "and this does not; of the records it takes only epochs that are greater. As a follower it truncates that "
            "record once more, and copies it again. As a leader it would tell followers that they diverge at offset "
            "1: they truncate what may be committed, copy it, and ask the same until there is a record of a new epoch "
            "(derived, not searched). Before KAFKA-15046 truncation waited for the file. In the model; no report is "
            "known, and no running Kafka has shown it yet."
        ),
    ),
)
