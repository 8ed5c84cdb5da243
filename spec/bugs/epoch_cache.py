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
        without_rule="leader-epoch-cache-skips-epoch-0",
        with_rule="leader-epoch-cache",
        properties=("every_record_has_its_epoch", "epochs_are_those_of_the_log"),
        lesson='Epoch 0 is an epoch. A number that means "none" must be none of those that mean something.',
    ),
    KnownBug(
        id="KAFKA-10706",
        title="A follower truncates to its log end offset, keeps an epoch that begins there, and asks again for ever",
        tickets=("KAFKA-10706",),
        versions="2.0.1 to 2.6.0",
        without_rule="leader-epoch-cache-truncates-records-only",
        with_rule="leader-epoch-cache",
        properties=("nothing_is_asked_in_vain",),
        lesson=(
            "Truncation has to treat the end itself like all before it. An epoch that begins at the log end has no "
            "record, and its entry must go."
        ),
    ),
    KnownBug(
        id="KAFKA-17142",
        title="An older copy of the leader-epoch cache is written over a newer file",
        tickets=("KAFKA-17142", "KAFKA-17166"),
        versions="none; it was taken back before 3.8.0",
        without_rule="leader-epoch-cache-writes-snapshots",
        with_rule="leader-epoch-cache-writes-later",
        properties=("file_misses_no_epoch", *OTHER_THAN_THE_LOG),
        lesson=(
            "What is written in the background is the state of when it is written, not of when it was decided. "
            "Otherwise the older copy may come last."
        ),
    ),
    KnownBug(
        id="H5",
        title="A failure brings back an epoch that was truncated, over records of another one",
        tickets=("LeaderEpochFileCache.truncateFromEndAsyncFlush; no ticket known", "KAFKA-16541", "KAFKA-15046"),
        versions="3.8 to 4.4",
        without_rule="leader-epoch-cache-writes-later",
        with_rule="leader-epoch-cache",
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
        lesson=(
            "What is written later must not be able to come back as what was before. If a file may be older than "
            "memory, recovery must compare it with the log."
        ),
    ),
)
