"""Kafka's own command-line tools, from the same jars as the brokers: what the client's Admin API lacks, and dumps."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.brokers.process import java_command
from tests.brokers.releases import Release

TOPICS = "TopicCommand"
REASSIGN = "ReassignPartitionsCommand"
CONFIGS = "ConfigCommand"
QUORUM = "MetadataQuorumCommand"
FEATURES = "FeatureCommand"
DUMP = "DumpLogSegments"
TRANSACTIONS = "TransactionsCommand"
SHARE_GROUPS = "ShareGroupCommand"


class ToolFailed(Exception):
    """A tool of Kafka ended with an error, or not in time."""


class Tools:
    """The tools of one release, asked about one cluster; each run is a Java process of a second or two."""

    def __init__(self, release: Release, bootstrap: str) -> None:
        self._release, self._bootstrap = release, bootstrap

    def run(self, tool: str, *arguments: str, seconds: float = 60) -> str:
        """The output of a tool; ToolFailed with all it said unless it ended well."""
        command = java_command(self._release.class_path(), self._release.tool(tool), arguments)
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=seconds,
                text=True,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise ToolFailed(f"{tool} {' '.join(arguments)} did not end within {seconds:g} s") from error
        if done.returncode:
            raise ToolFailed(f"{tool} {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def _ask(self, tool: str, *arguments: str) -> str:
        return self.run(tool, "--bootstrap-server", self._bootstrap, *arguments)

    def describe_topic(self, topic: str) -> str:
        """`kafka-topics --describe`: leader, ISR and, since 4.0, the ELR and the last known ELR of each partition."""
        return self._ask(TOPICS, "--describe", "--topic", topic)

    def describe_topics(self) -> str:
        """`kafka-topics --describe` of every topic."""
        return self._ask(TOPICS, "--describe")

    def describe_configs(self, kind: str, whole: bool = True) -> str:
        """`kafka-configs --describe` of all `topics`, or all `brokers`; with defaults as well, if it is `whole`."""
        return self._ask(CONFIGS, "--describe", *(["--all"] if whole else []), "--entity-type", kind)

    def describe_default_configs(self) -> str:
        """`kafka-configs --describe` of what was set for all brokers at once."""
        return self._ask(CONFIGS, "--describe", "--entity-type", "brokers", "--entity-default")

    def describe_transaction(self, transactional_id: str) -> str:
        """`kafka-transactions describe`: coordinator, producer id and epoch, state and partitions of a transaction."""
        return self._ask(TRANSACTIONS, "describe", "--transactional-id", transactional_id)

    def describe_share_offsets(self, group: str) -> str:
        """`kafka-share-groups --describe --offsets`: the start offset of each partition, `-` if none is persisted."""
        return self._ask(SHARE_GROUPS, "--describe", "--offsets", "--group", group)

    def describe_features(self) -> str:
        """`kafka-features describe`."""
        return self._ask(FEATURES, "describe")

    def downgrade_feature(self, name: str) -> str:
        """`kafka-features downgrade` of a feature to level 0."""
        return self._ask(FEATURES, "downgrade", "--feature", f"{name}=0")

    def describe_replication(self) -> str:
        """`kafka-metadata-quorum describe --replication`: how far behind each voter and observer is."""
        return self._ask(QUORUM, "describe", "--replication")

    def describe_quorum(self) -> str:
        """`kafka-metadata-quorum describe --status`: leader, epoch, high watermark, voters and observers."""
        return self._ask(QUORUM, "describe", "--status")

    def reassign(self, topic: str, replicas: Mapping[int, Sequence[int]]) -> str:
        """Begin a reassignment: the replicas that each partition shall have, preferred leader first."""
        return self._reassign(topic, replicas, "--execute")

    def cancel_reassignment(self, topic: str, replicas: Mapping[int, Sequence[int]]) -> str:
        """Call off the reassignment of these partitions, if one is under way.

        Throttles are left alone: to clear them the tool asks every broker, and waits for one that is down.
        """
        return self._reassign(topic, replicas, "--cancel", "--preserve-throttles")

    def _reassign(self, topic: str, replicas: Mapping[int, Sequence[int]], *what: str) -> str:
        moves = [{"topic": topic, "partition": number, "replicas": list(new)} for number, new in replicas.items()]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"version": 1, "partitions": moves}, file)
            file.flush()
            return self._ask(REASSIGN, "--reassignment-json-file", file.name, *what)

    def set_log_levels(self, broker: int, levels: Mapping[str, str]) -> None:
        """Change levels of loggers of a broker that runs (KIP-412)."""
        changes = ",".join(f"{logger}={level}" for logger, level in levels.items())
        self._ask(
            CONFIGS,
            *("--alter", "--entity-type", "broker-loggers", "--entity-name", str(broker), "--add-config", changes),
        )

    def dump_metadata(self, segments: Sequence[Path]) -> str:
        """`kafka-dump-log --cluster-metadata-decoder`: records as JSON, each with its offset in text before it.

        No release has a form that is JSON alone. `--skip-record-metadata` would leave out offsets and control records.
        """
        return self._dump(segments, "--cluster-metadata-decoder")

    def dump_log(self, segments: Sequence[Path]) -> str:
        """`kafka-dump-log --print-data-log`: batches and records of a partition."""
        return self._dump(segments, "--print-data-log")

    def _dump(self, segments: Sequence[Path], *how: str) -> str:
        return self.run(DUMP, *how, "--files", ",".join(str(path) for path in segments))
