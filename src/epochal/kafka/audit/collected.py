"""What running brokers say of a cluster, in the forms in which Kafka's own tools print it.

Only what is asked by reading is asked: brokers, topics, settings, features and the quorum. Each answer becomes a text
of a tool, so that an audit of a cluster and one of files that somebody has collected are read by the same lines.
"""

from __future__ import annotations

import base64
import logging
import ssl
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from epochal.checker.base.files import write_atomically, writing
from epochal.errors import EpochalError, UsageError
from epochal.exit_codes import ExitCode

from ..evidence.place import EvidenceError, escaped
from .dump import read_properties
from .said import Said, short
from .tool_output import METADATA_VERSION


class NoAnswerError(EpochalError):
    """A cluster does not answer, refuses who asks, or answers what is of no use."""

    exit_code = ExitCode.ENGINE_FAILURE


# -- credentials ------------------------------------------------------------------------------------------------------
# A file of properties as Kafka's tools take it (`--command-config`), for the client that is installed here.

PASSED_OVER = ("client.id", "request.timeout.ms", "default.api.timeout.ms", "bootstrap.servers", "client.dns.lookup")
"""Settings that are known, and decide nothing of who is asked and how."""

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
PEM = "PEM"
TO_PEM = (
    "Write keytool -list -rfc -keystore FILE > ca.pem, and ssl.truststore.type=PEM, ssl.truststore.location=ca.pem."
)
SCRIPT = "Run docs/collect.sh with Kafka's own tools there, and give the folder that it writes."


def client_settings(path: Path) -> dict[str, Any]:
    """The settings of the client by a file of properties. No value of the file is in any error.

    Raises UsageError for a file that cannot be read, and for a setting that the client would not heed.
    """
    try:
        said = read_properties(path.read_text(encoding="utf-8").splitlines(keepends=True), path.name)
    except OSError as wrong:
        raise UsageError(f"{escaped(str(path))}: {wrong.strerror or wrong}") from wrong
    except (EvidenceError, UnicodeDecodeError):
        raise UsageError(f"{escaped(str(path))} is no file of properties that Java reads") from None
    values = {name: one for name, one in said.items() if name not in PASSED_OVER and one.value != ""}
    for name, one in values.items():
        if "${" in one.value:
            raise UsageError(
                f"{one.place}: {escaped(short(name))} is filled in by a provider", "Write the value itself."
            )
    settings: dict[str, Any] = {}
    protocol = _one_of(values, "security.protocol", PROTOCOLS, PROTOCOLS[0])
    settings["security_protocol"] = protocol
    if "SASL" in protocol:
        settings |= _sasl(values)
    if "SSL" in protocol.removeprefix("SASL_"):
        settings["ssl_context"] = _context(values, said)
    for name, one in values.items():
        if name.startswith(("sasl.", "ssl.")) and name not in HEEDED:
            raise UsageError(f"{one.place}: {escaped(short(name))} is not heeded here", SCRIPT)
    return settings


HEEDED = (
    "sasl.mechanism",
    "sasl.jaas.config",
    "ssl.truststore.type",
    "ssl.truststore.location",
    "ssl.truststore.certificates",
    "ssl.keystore.type",
    "ssl.keystore.location",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
)


def _one_of(values: Mapping[str, Said], name: str, known: Sequence[str], default: str) -> str:
    said = values.get(name)
    value = default if said is None else said.value.strip().upper()
    if value not in known:
        at = "" if said is None else f"{said.place}: "
        raise UsageError(f"{at}{name} is none of {', '.join(known)}", SCRIPT)
    return value


def _sasl(values: Mapping[str, Said]) -> dict[str, Any]:
    mechanism = _one_of(values, "sasl.mechanism", MECHANISMS, "GSSAPI")
    said = values.get("sasl.jaas.config")
    if said is None:
        raise UsageError("sasl.jaas.config is not set: it has the user's name and password", SCRIPT)
    options = dict(_options(said.value))
    if not {"username", "password"} <= options.keys():
        raise UsageError(f"{said.place}: sasl.jaas.config has no username or password", SCRIPT)
    return {
        "sasl_mechanism": mechanism,
        "sasl_plain_username": options["username"],
        "sasl_plain_password": options["password"],
    }


def _options(jaas: str) -> Iterator[tuple[str, str]]:
    """The options of a login module: `username="a" password="b";`, in which a backslash takes the next as it is."""
    at = 0
    while (equals := jaas.find("=", at)) >= 0:
        name = jaas[at:equals].split()[-1:] or [""]
        at = equals + 1
        while at < len(jaas) and jaas[at].isspace():
            at += 1
        quote = jaas[at] if at < len(jaas) and jaas[at] in "\"'" else ""
        at += len(quote)
        value = ""
        while at < len(jaas) and (jaas[at] != quote if quote else not (jaas[at].isspace() or jaas[at] == ";")):
            at += jaas[at] == "\\" and at + 1 < len(jaas)
            value += jaas[at]
            at += 1
        at += len(quote)
        yield name[0], value


def _context(values: Mapping[str, Said], said: Mapping[str, Said]) -> ssl.SSLContext:
    """What TLS trusts, and what it shows. Without a truststore, the authorities that this machine trusts."""
    stores = [name for name in ("ssl.truststore", "ssl.keystore") if f"{name}.location" in values]
    for store in stores:
        kind = values.get(f"{store}.type")
        if kind is None or kind.value.strip().upper() != PEM:
            raise UsageError(f"{values[f'{store}.location'].place}: {store} is not of type PEM", TO_PEM)
    trusted, shown = (values.get(f"{store}.location") for store in ("ssl.truststore", "ssl.keystore"))
    inline = values.get("ssl.truststore.certificates")
    secret = values.get("ssl.key.password")
    try:
        context = ssl.create_default_context(
            cafile=None if trusted is None else trusted.value, cadata=None if inline is None else inline.value
        )
        if shown is not None:
            context.load_cert_chain(shown.value, password=None if secret is None else secret.value)
    except (OSError, ValueError):  # ssl.SSLError is one; its text may have a path, and nothing that helps
        raise UsageError("the certificates or the key of the file of properties cannot be read", TO_PEM) from None
    checks = said.get("ssl.endpoint.identification.algorithm")
    context.check_hostname = checks is None or checks.value.strip() != ""
    return context


# -- asking -----------------------------------------------------------------------------------------------------------


@dataclass
class ClusterAnswers:
    """The texts by the names of their files, what was asked, and what was refused or not answered."""

    texts: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class AdminClient(Protocol):
    """What is asked of the client: kafka-python has no types."""

    def describe_cluster(self) -> dict[str, Any]: ...
    def describe_topics(self, topics: Sequence[str] | None = None) -> list[dict[str, Any]]: ...
    def describe_topic_partitions(
        self, topics: Sequence[str], response_partition_limit: int = ..., cursor: object = None
    ) -> dict[str, Any]: ...
    def describe_configs(
        self, config_resources: Sequence[object], include_synonyms: bool = ..., config_filter: str = ...
    ) -> dict[str, dict[str, dict[str, dict[str, Any]]]]: ...
    def describe_features(self) -> dict[str, dict[str, Any]]: ...
    def describe_metadata_quorum(self) -> dict[str, Any]: ...
    def list_partition_reassignments(self) -> Mapping[Any, Any]: ...
    def close(self) -> None: ...


AT_ONCE = 500
"""How many topics one request asks about."""

NOT_AUTHORIZED = "the user may not ask for it"


def collect(
    bootstrap: str, settings: Mapping[str, Any], seconds: float, tell: Callable[[str], None] = lambda _: None
) -> ClusterAnswers:
    """What the brokers at `HOST:PORT` say of their cluster, within some seconds.

    Raises NoAnswerError if nobody answers in time, or refuses who asks, and UsageError for what is no address.
    """
    for one in bootstrap.split(","):
        host, colon, port = one.strip().rpartition(":")
        if not host or not colon or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
            raise UsageError(f"--bootstrap is HOST:PORT, not {escaped(short(one))}", "Such as broker-1:9092.")
    found, client = ClusterAnswers(), _Client()
    ended: list[Exception | None] = []

    def ask() -> None:
        try:
            _asked(found, client, bootstrap, settings, seconds, tell)
        except Exception as error:  # told by who waits
            ended.append(error)
        else:
            ended.append(None)

    shown = escaped(short(bootstrap))
    until = time.monotonic() + seconds
    with _heard() as heard:
        thread = threading.Thread(target=ask, name="epochal-collect", daemon=True)
        thread.start()
        while thread.is_alive() and not heard.refused and time.monotonic() < until:
            thread.join(TICK)
        is_late = thread.is_alive()
        client.stop()
        thread.join(LAST)
    if ended and ended[0] is None:
        return found
    if heard.refused:
        raise NoAnswerError(f"{shown}: {heard.refused}", "Look at --command-config.")
    if not is_late and ended and ended[0] is not None:
        raise _told(ended[0], shown)
    last = f" to {found.asked[-1]}" if found.asked else ""
    raise NoAnswerError(f"{shown}: no answer{last} within {seconds:g} s", UNANSWERED)


TICK = 0.1
"""How often it is looked whether something was refused, in seconds."""

LAST = 1.0
"""How long a client that was stopped has to end, in seconds."""


def keep(found: ClusterAnswers, folder: Path) -> None:
    """Write the texts to a folder, so that they are read as files that somebody has collected.

    Raises UsageError if there are files already: answers of two moments would be mixed.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{escaped(str(folder))} has files already", "Name a new folder.")
        for name, text in found.texts.items():
            write_atomically(folder / name, text)


UNANSWERED = "Is it the address of a listener for clients, and its security.protocol that of --command-config?"


class _Heard(logging.Handler):
    """What the client logs: it tries again after each refusal, and tells of it there alone. Nothing is printed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.refused = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Note a refusal that trying again does not mend."""
        import kafka.errors as errors

        for one in record.args if isinstance(record.args, tuple) else ():
            if isinstance(one, (errors.SaslAuthenticationFailedError, errors.UnsupportedSaslMechanismError)):
                self.refused = f"the credentials are refused ({type(one).__name__})"
            elif isinstance(one, ssl.SSLCertVerificationError):
                self.refused = f"the broker's certificate is not trusted: {escaped(one.verify_message)}"


@contextmanager
def _heard() -> Iterator[_Heard]:
    """Keep what the client logs from a terminal, and hear it."""
    log = logging.getLogger("kafka")
    heard, level, propagates = _Heard(), log.level, log.propagate
    log.addHandler(heard)
    log.setLevel(logging.ERROR)
    log.propagate = False
    try:
        yield heard
    finally:
        log.removeHandler(heard)
        log.setLevel(level)
        log.propagate = propagates


def _told(error: Exception, shown: str) -> EpochalError:
    """What went wrong, without a secret: of what the client says only its kind."""
    import kafka.errors as errors

    if isinstance(error, EpochalError):
        return error
    kind = type(error).__name__
    if isinstance(error, (errors.KafkaTimeoutError, errors.KafkaConnectionError)):
        return NoAnswerError(f"{shown}: nobody answers ({kind})", UNANSWERED)
    if isinstance(error, errors.AuthorizationError):
        return NoAnswerError(f"{shown}: {NOT_AUTHORIZED} ({kind})", "Allow it to describe the cluster and its topics.")
    return NoAnswerError(f"{shown}: the client has failed ({kind})", SCRIPT)


class _Client:
    """What the client's connections run in: it can be stopped from outside, also while it looks for a broker.

    Left alone, a client that was refused would go on trying, and its next refusal would be heard by the next question.
    """

    def __init__(self) -> None:
        self._loops: list[Any] = []

    def __call__(self, **configs: Any) -> Any:
        from kafka.net.compat import KafkaNetClient
        from kafka.net.selector import NetworkSelector

        self._loops.append(NetworkSelector(**configs))
        return KafkaNetClient(net=self._loops[-1], **configs)

    def stop(self) -> None:
        """Whoever waits for an answer is told that there will be none."""
        for one in self._loops:
            one.stop(timeout_ms=LAST * 1000)


def _asked(
    found: ClusterAnswers,
    client: _Client,
    bootstrap: str,
    settings: Mapping[str, Any],
    seconds: float,
    tell: Callable[[str], None],
) -> None:
    from kafka.admin import KafkaAdminClient

    wait = max(1000, int(seconds * 1000))
    admin: AdminClient = KafkaAdminClient(
        bootstrap_servers=[one.strip() for one in bootstrap.split(",")],
        client_id="epochal-audit",
        kafka_client=client,
        bootstrap_timeout_ms=wait,
        request_timeout_ms=wait,
        **settings,
    )
    try:
        _ask(found, admin, tell)
    finally:
        admin.close()


def _ask(found: ClusterAnswers, admin: AdminClient, tell: Callable[[str], None]) -> None:
    def asks(what: str) -> None:
        found.asked.append(what)
        tell(f"asking for {what}")

    asks("brokers")
    cluster = admin.describe_cluster()
    brokers = sorted(one["broker_id"] for one in cluster["brokers"] if not one.get("is_fenced"))
    asks("features")
    found.texts["features.txt"] = _features(admin.describe_features())
    asks("topics")
    topics = sorted(_partitions(admin), key=lambda one: str(one["name"]))
    asks("settings of topics")
    settings = _configs(admin, "TOPIC", [one["name"] for one in topics])
    found.refused += (f"settings of {escaped(one)}: {NOT_AUTHORIZED}" for one, said in settings.items() if not said)
    moving = _reassigned(found, admin, asks)
    found.texts["topics.txt"] = "".join(
        line for one in topics for line in _topic(one, settings.get(one["name"], {}), moving)
    )
    found.texts["topic-configs.txt"] = "".join(
        line for name, said in settings.items() if said for line in _block("topic", name, said)
    )
    asks(f"settings of brokers {', '.join(map(str, brokers))}")
    of_brokers = {name: said for one in brokers for name, said in _configs(admin, "BROKER", [str(one)]).items()}
    found.refused += (f"settings of broker {one}: {NOT_AUTHORIZED}" for one, said in of_brokers.items() if not said)
    found.texts["broker-configs.txt"] = "".join(
        line for name, said in of_brokers.items() if said for line in _block("broker", name, said)
    )
    asks("the quorum of controllers")
    _optional(found, "the quorum", lambda: found.texts.update({"replication.txt": _quorum(admin)}))
    found.texts = {name: text for name, text in found.texts.items() if text}


def _optional(found: ClusterAnswers, what: str, ask: Callable[[], object]) -> None:
    """Ask for what an audit can do without, and note why there is no answer."""
    import kafka.errors as errors

    try:
        ask()
    except errors.AuthorizationError:
        found.refused.append(f"{what}: {NOT_AUTHORIZED}")
    except (errors.IncompatibleBrokerVersion, errors.UnsupportedVersionError):
        found.refused.append(f"{what}: this release does not tell it")


def _partitions(admin: AdminClient) -> list[dict[str, Any]]:
    """All topics with their partitions; with the ELR where brokers tell it."""
    import kafka.errors as errors

    known = admin.describe_topics()
    names = [one["name"] for one in known]
    found: dict[str, dict[str, Any]] = {}
    try:
        for start in range(0, len(names), AT_ONCE):
            cursor = None
            while True:
                page = admin.describe_topic_partitions(names[start : start + AT_ONCE], cursor=cursor)
                for one in page["topics"]:
                    before = found.setdefault(one["name"], one)
                    if before is not one:
                        before["partitions"] += one["partitions"]
                cursor = page["next_cursor"]
                if cursor is None:
                    break
    except (errors.IncompatibleBrokerVersion, errors.UnsupportedVersionError):
        return [{**one, "without_elr": True} for one in known]
    return list(found.values())


def _reassigned(found: ClusterAnswers, admin: AdminClient, asks: Callable[[str], None]) -> dict[tuple[str, int], Any]:
    asks("reassignments")
    moving: dict[tuple[str, int], Any] = {}

    def ask() -> None:
        for partition, said in admin.list_partition_reassignments().items():
            moving[partition.topic, partition.partition] = said

    _optional(found, "reassignments", ask)
    return moving


def _configs(admin: AdminClient, kind: str, names: Sequence[str]) -> dict[str, dict[str, dict[str, Any]]]:
    from kafka.admin import ConfigResource, ConfigResourceType

    found: dict[str, dict[str, dict[str, Any]]] = {}
    for start in range(0, len(names), AT_ONCE):
        wanted = [ConfigResource(ConfigResourceType[kind], name) for name in names[start : start + AT_ONCE]]
        said = admin.describe_configs(wanted, include_synonyms=True, config_filter="all")
        found.update(said.get(kind.lower(), {}))
    return found


# -- texts ------------------------------------------------------------------------------------------------------------
# Answers as Kafka's tools print them.

NO_LEADER = -1
DEFAULT = "DEFAULT_CONFIG"


def _topic(
    topic: Mapping[str, Any], settings: Mapping[str, Mapping[str, Any]], moving: Mapping[tuple[str, int], Any]
) -> Iterator[str]:
    name, partitions = topic["name"], sorted(topic["partitions"], key=lambda one: int(one["partition_index"]))
    copies = max((len(one["replica_nodes"]) for one in partitions), default=0)
    shown = ",".join(f"{key}={said['value']}" for key, said in settings.items() if said["config_source"] != DEFAULT)
    configs = f"\tConfigs: {shown}" if settings else ""
    id = topic.get("topic_id")
    of_id = f"TopicId: {_uuid(id)}\t" if isinstance(id, uuid.UUID) else ""
    yield f"Topic: {name}\t{of_id}PartitionCount: {len(partitions)}\tReplicationFactor: {copies}{configs}\n"
    for one in partitions:
        leader = "none" if one["leader_id"] == NO_LEADER else one["leader_id"]
        elr = "" if topic.get("without_elr") else f"\tElr: {_ids(one['eligible_leader_replicas'])}"
        last = "" if topic.get("without_elr") else f"\tLastKnownElr: {_ids(one['last_known_elr'])}"
        change = moving.get((name, one["partition_index"]))
        changing = ""
        if change is not None:
            changing = f"\tAdding Replicas: {_ids(change['adding_replicas'])}"
            changing += f"\tRemoving Replicas: {_ids(change['removing_replicas'])}"
        yield (
            f"\tTopic: {name}\tPartition: {one['partition_index']}\tLeader: {leader}"
            f"\tReplicas: {_ids(one['replica_nodes'])}\tIsr: {_ids(one['isr_nodes'])}{changing}{elr}{last}\n"
        )


def _ids(numbers: Sequence[int] | None) -> str:
    return ",".join(map(str, numbers or ()))


def _uuid(id: uuid.UUID) -> str:
    return base64.urlsafe_b64encode(id.bytes).decode().rstrip("=")


def _block(kind: str, name: str, settings: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield f"All configs for {kind} {name} are:\n"
    for key, said in sorted(settings.items()):
        synonyms = ", ".join(f"{one['source']}:{one['name']}={one['value']}" for one in said.get("synonyms") or ())
        secret = "true" if said.get("is_sensitive") else "false"
        yield f"  {key}={said['value']} sensitive={secret} synonyms={{{synonyms}}}\n"


LEVELS = (
    *("3.0-IV1", "3.1-IV0", "3.2-IV0", "3.3-IV0", "3.3-IV1", "3.3-IV2", "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1"),
    *("3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0"),
    *("3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0"),
    *("4.4-IV0", "4.4-IV1", "4.4-IV2", "4.5-IV0"),
)
"""What Kafka calls the levels of its metadata version, from 1 on (MetadataVersion)."""


def _features(said: Mapping[str, Mapping[str, Any]]) -> str:
    lines = []
    for name, one in sorted(said.items()):
        lowest, highest = one.get("supported", (0, 0))
        _, final = one.get("finalized", (0, 0))
        words = [_level(level) if name == METADATA_VERSION else str(level) for level in (lowest, highest, final)]
        epoch = one.get("finalized_epoch")
        lines.append(
            f"Feature: {name}\tSupportedMinVersion: {words[0]}\tSupportedMaxVersion: {words[1]}"
            f"\tFinalizedVersionLevel: {words[2]}\tEpoch: {'-' if epoch is None else epoch}\n"
        )
    return "".join(lines)


def _level(level: int) -> str:
    """What Kafka calls a level; a number if it is newer than this package."""
    return LEVELS[level - 1] if 0 < level <= len(LEVELS) else str(level)


def _quorum(admin: AdminClient) -> str:
    said = admin.describe_metadata_quorum()["topics"][0]["partitions"][0]
    leader = said["leader_id"]
    ends = {one["replica_id"]: one["log_end_offset"] for one in said["current_voters"]}
    lines = ["NodeId\tDirectoryId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\n"]
    for status, replicas in (("Follower", said["current_voters"]), ("Observer", said["observers"])):
        for one in replicas:
            id, end = one["replica_id"], one["log_end_offset"]
            called = "Leader" if id == leader and status == "Follower" else status
            lag = ends.get(leader, end) - end
            lines.append(f"{id}\t-\t{end}\t{lag}\t-1\t-1\t{called}\n")
    return "".join(lines)
