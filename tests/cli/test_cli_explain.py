"""`epochal explain`: exit codes, and every word of the specifications."""

from __future__ import annotations

import json
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from epochal.cli.commands.protocols import FAMILY_NAMES
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue import chosen
from epochal.kafka.explain import (
    KIPS,
    SINCE,
    _bugs,
    _releases_called,
    asked_settings,
    explanations,
    in_releases,
    led_to,
    rules,
)
from epochal.kafka.situations import SITUATIONS, words_of
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import references_in
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from epochal.spec.kraft.generations import OLDER, VERSIONS, numbered
from epochal.spec.kraft.guarantees import FAULTS, Fault, own_fault
from epochal.spec.kraft.settings import Settings
from epochal.spec.registry import FAMILIES, REGISTRY, START, family_of
from tests.cli.conftest import Run
from tests.each import for_each
from tests.house.test_architecture import ROOT


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("12", ["12: violated", "An invariant or an action property is violated"]),
        ("11", ["11: deadlock", "--deadlock"]),
        ("13", ["13: liveness violated", "an infinite run that respects the assumed fairness"]),
        ("strong_isr", ["strong_isr: an invariant: true in every reachable state", "In truncate-to-hw, kip-101, "]),
        ("LeaderShrinksIsr", ["leader_shrinks_isr: an action", "epochal show truncate-to-hw"]),
        ("log-matching", ["log_matching: a lemma of a proof", "In kip-320-proof"]),
        (
            "KIP-320",
            [
                "KIP-320: Allow fetchers to detect and handle log truncation",
                "KIP-320 (S6): A follower of another epoch counts as having the record",
                "epochal catalogue KIP-320",
                "kip-320: a protocol",
            ],
        ),
        (
            "kafka-18106",
            [
                "KAFKA-18106: a ticket of Kafka",
                "KAFKA-18106 (S18): ",
                "rule registration_fences_the_old_incarnation of ",
            ],
        ),
        ("min-insync-replicas", ["--min-insync-replicas: a setting of kraft", "min.insync.replicas of the topic"]),
        ("min.insync.replicas", ["--min-insync-replicas: a setting of kraft"]),
        ("unclean.leader.election.enable", ["--unclean-leader-election: a setting of kraft"]),
        ("max_epoch", ["--max-epoch: a bound of "]),
        ("bounce_noticed", ["bounce_noticed: a rule of kraft", "KIP-380, Kafka 2.2"]),
        (
            "may_join",
            [
                "may_join(leader, follower): a rule that steps and properties call",
                "Partition.isFollowerInSync",
                "In kraft, kraft-proof, kraft-reassignment, kraft-kip-320  [spec/kraft/leader.py:",
            ],
        ),
        ("MayLead", ["may_lead(r): a rule that steps and properties call"]),
        ("kraft-s15", ["kraft-s15: a protocol", "epochal show kraft-s15"]),
        (
            "one broker loses its disk",
            [
                "lossy: a crash that loses data  [epochal guarantees --fault lossy]",
                "KIP-966 (S20): The last member of the ISR loses its log, ",
                "lose_disk: A voter whose disk was replaced ",
            ],
        ),
        ("Two brokers crash!", ["two-clean: two crashes that lose nothing  [epochal guarantees --fault two-clean]"]),
        (
            "KIP-966",
            ["2.8 to 3.9: no; 4.0: off unless set; 4.1 to 4.4: yes.", "2.8 to 3.6: no; 3.7 to 4.4: yes."],
        ),
        (
            "n1",
            [
                "Replica.resetReplicaState (N1): a known bug",
                "reproduced on Apache Kafka 3.9.2, ",
                "epochal catalogue N1",
            ],
        ),
        ("S9", ["KAFKA-7128 (S9): a known bug", "epochal catalogue 'S9 classic'"]),
        ("G8", ["G8: a generation", "Kafka 3.7, 3.8, 3.9, 4.0 as designed", "epochal guarantees --kafka G8"]),
        ("g2", ["G2: a generation", "epochal show kip-279"]),
        ("acked-lost", ["acked-lost: a rule of audits", "Settings lose acknowledged records"]),
        ("S33b", ["KAFKA-15021 (S33b): a known bug", "In no model: a delay"]),
        ("S25", ["Every Kafka; reproduced on Apache Kafka 3.9.2, 4.3.1, 4.4.0."]),
        ("4.4", ["Kafka 4.4: a release", "Its protocol is kraft --kafka 4.4.", "epochal guarantees --kafka 4.4"]),
        ("2.6", ["Kafka 2.6: a release", "Its protocol is kip-320.", "epochal show kip-320"]),
        ("elr", ["--elr: a setting of kraft", "Kafka 2.8 to 3.9: no; 4.0: off unless set; 4.1 to 4.4: yes."]),
        ("override_starts_anew", ["override_starts_anew: a rule of kraft", "Kafka 3.0 to 4.4: no."]),
        ("KAFKA-18991", ["Kafka 2.8 to 3.9.0: no; 3.9.1 to 3.9.2: yes; 4.0.0: no; 4.0.1 to 4.4: yes."]),
    ],
)
def test_words_are_explained(word: str, texts: list[str], run: Run) -> None:
    result = run("explain", word)
    assert result.exit_code == 0, result.stderr
    assert [text for text in texts if text not in result.stdout] == []


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("strong_irs", "Did you mean strong_isr?"),
        ("KAKFA-18106", "Did you mean KAFKA-18106?"),
        ("S99", "'epochal list' and 'epochal show PROTOCOL' have the words there are."),
        ("one broker zzzzzzzzzz", "'epochal list' and 'epochal show PROTOCOL' have the words there are."),
        ("on the other", "'epochal list' and 'epochal show PROTOCOL' have the words there are."),
        ("zzzzzzzzzz", "'epochal list' and 'epochal show PROTOCOL' have the words there are."),
    ],
)
def test_unknown_words_get_the_nearest(word: str, advice: str, run: Run) -> None:
    result = run("explain", word)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"epochal: '{word}' is no exit code, property, action")
    assert advice in result.stderr


@pytest.mark.parametrize(
    "description", ["rolling restart", "is acks=all with min.insync.replicas=1 safe", "high watermark"]
)
def test_words_need_no_quotes(description: str, run: Run) -> None:
    quoted, words = run("explain", description), run("explain", *description.split())
    assert (words.exit_code, words.stdout) == (0, quoted.stdout)


@pytest.mark.parametrize("ticket", ["KAFKA-12687", "KAFKA-18105", "kip-32"])
def test_numbers_of_tickets_are_no_typing_errors_of_each_other(ticket: str, run: Run) -> None:
    for command in ("explain", "catalogue"):
        result = run(command, ticket)
        assert result.exit_code == 2
        assert "Did you mean" not in result.stderr and "'epochal catalogue --list' has " in result.stderr


SITUATED = {
    "consumer lag high": "A consumer is behind",
    "what does unclean leader election cost me": "What an unclean election costs",
    "when is a record committed": "When a record is committed",
    "preferred leader": "The preferred leader",
    "power loss": "A machine loses power",
    "my broker was OOMKilled": "A process is killed",
    "rolling restart": "Brokers are restarted",
    "two brokers restart": "Brokers are restarted",
    "is it safe to restart two brokers at once": "Brokers are restarted",
    "may I stop broker 3 now": "Brokers are restarted",
    "may two brokers be restarted": "Brokers are restarted",
    "node reboot": "Brokers are restarted",
    "spot instances": "Brokers are restarted",
    "how many brokers can I lose": "How many faults are survived",
    "under min isr": "Fewer replicas are in sync than min.insync.replicas",
    "NOT_ENOUGH_REPLICAS": "Fewer replicas are in sync than min.insync.replicas",
    "NotEnoughReplicasAfterAppendException": "Fewer replicas are in sync than min.insync.replicas",
    "UnderReplicatedPartitions": "A replica is not in sync",
    "offline partition": "A partition has no leader",
    "leader -1": "A partition has no leader",
    "leader epoch -1": "No leader epoch: -1",
    "OFFSET_OUT_OF_RANGE": "A fetch beyond the log",
    "OffsetOutOfRangeException": "A fetch beyond the log",
    "NotLeaderOrFollowerException": "A broker that does not lead was asked",
    "UNKNOWN_LEADER_EPOCH": "A request of another leader epoch",
    "INELIGIBLE_REPLICA": "A leader asks for an ISR and is refused",
    "why are my brokers fenced": "A broker is fenced",
    "OutOfOrderSequenceException": "Sequence numbers of producers",
    "REQUEST_TIMED_OUT": "An answer that does not come",
    "hanging transaction": "Transactions, and who waits for them",
    "ephemeral storage": "The disk is empty, or a directory has failed",
    "broker replaced with empty disk": "The disk is empty, or a directory has failed",
    "KRaft quorum lost": "The majority of controllers is gone",
    "two of three controllers are down": "The majority of controllers is gone",
    "controller failover": "Another controller takes over",
    "split brain": "Brokers that cannot reach each other",
    "availability zone down": "A rack or a zone fails",
    "can I lose data with acks=all": "How many faults are survived",
    "is acks=all with min.insync.replicas=1 safe": "One copy is enough for an answer",
    "what if all of the ISR died": "All of the ISR has died",
    "decommission a broker": "A replica moves, or a broker is taken away",
    "LEO": "The ends of a log",
    "zookeeper session expired": "The controller on ZooKeeper",
    "tiered storage": "Tiered storage, and share groups",
    "share group": "Tiered storage, and share groups",
    "rack": "A rack or a zone fails",
    "quota": "What no model here has",
    "kill -9": "A process is killed",
    "out of sync": "A replica is not in sync",
    "under replicated": "A replica is not in sync",
    "Leader: none": "A partition has no leader",
    "UNKNOWN_PRODUCER_ID": "Sequence numbers of producers",
    "NOT_LEADER_OR_FOLLOWER": "A broker that does not lead was asked",
    "NotEnoughReplicasException": "Fewer replicas are in sync than min.insync.replicas",
    "disk full": "The disk is empty, or a directory has failed",
    "log dir failure": "The disk is empty, or a directory has failed",
    "controller quorum lost": "The majority of controllers is gone",
    "majority of controllers lost": "The majority of controllers is gone",
    "all ISR members died": "All of the ISR has died",
    "last stable offset": "Transactions, and who waits for them",
    "exactly once": "Transactions, and who waits for them",
    "read_committed": "Transactions, and who waits for them",
    "stretch cluster": "A rack or a zone fails",
}
"""What people type who run clusters, and under which heading they find the answer."""


@for_each("words", SITUATED)
def test_what_an_operator_types_is_answered(words: str, run: Run) -> None:
    """By what it is about, first; and nothing is told besides that only shares a word."""
    result = run("explain", words)
    assert result.exit_code == 0, result.stderr
    headings = [line for line in result.stdout.splitlines() if line and not line.startswith(" ")]
    assert [one for one in headings if one != "A question about settings"] == [SITUATED[words]]


def test_every_situation_is_typed_by_a_test() -> None:
    assert {one.title for one in SITUATIONS} == set(SITUATED.values())


def test_no_two_situations_are_called_the_same() -> None:
    phrases = [words_of(phrase) for one in SITUATIONS for phrase in one.called]
    assert len(phrases) == len(set(phrases))


SHOWN_BY = sorted({command for one in SITUATIONS for command in one.commands})


@for_each("command", SHOWN_BY)
def test_what_a_situation_says_to_type_can_be_typed(command: str, run: Run) -> None:
    """Names, tickets and faults of the commands are known."""
    _, name, *words = shlex.split(command, comments=True)
    asked = {"guarantees": ("--help",), "audit": ("--help",), "check": ("--help",), "prove": ("--help",)}
    known = {one.id for one in FAULTS}
    faults = [fault for option, fault in pairwise(words) if option == "--fault"]
    assert all(fault in known or own_fault(fault) for fault in faults)
    shown = ("--list", *words) if name == "catalogue" else (*words, *asked.get(name, ()))
    assert run(name, *(word for word in shown if word != "DUMP")).exit_code == 0


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("is acks=all with min.insync.replicas=1 safe", "--min-insync-replicas 1 --acks all"),
        ("min.insync.replicas=2 with replication factor 2", "--replication-factor 2 --min-insync-replicas 2"),
        ("acks: -1, rf 3, Kafka 3.9", "--kafka 3.9 --replication-factor 3 --acks -1"),
        ("unclean.leader.election.enable=true", "--unclean-leader-election"),
        ("unclean leader election off", "--no-unclean-leader-election"),
        ("upgrade from 3.9 to 4.1", "--from 3.9 --to 4.1"),
        ("acks=2", ""),
        ("how many acks do I need", ""),
        ("Kafka 3.9", ""),
    ],
)
def test_settings_in_a_question_are_options(question: str, options: str, run: Run) -> None:
    """What the options are asked of takes them."""
    assert " ".join(asked_settings(question)) == options
    assert not options or run("guarantees", *options.split(), "--help").exit_code == 0


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_is_found_by_its_own_words(fault: Fault) -> None:
    assert f"{fault.id}: {fault.title}" in [led.text for led in led_to(fault.title)]


def test_what_a_description_leads_to_can_be_asked_for(run: Run) -> None:
    """The keys of the catalogue are known, and the faults."""
    for led in led_to("loses its log") + led_to("truncates to the high watermark"):
        _, command, *words = shlex.split(led.command)
        if command == "catalogue":
            assert chosen(words, CATALOGUE)
        else:
            assert (command == "show" and words[0] in REGISTRY) or words == ["--fault", led.text.partition(":")[0]]


@for_each("rule", Settings.__dataclass_fields__)
def test_what_releases_have_is_told_of_every_release(rule: str) -> None:
    """Every release is within one of the ranges, and is told as its settings are."""
    told = [part.rpartition(": ")[::2] for part in in_releases(rule).split("; ") if part]
    for version, settings in VERSIONS.items():
        has = [said for versions, said in told if within(versions, version)]
        if told and numbered(version) >= SINCE.get(rule, ()):
            (said,) = has
            assert (said == "yes") == (getattr(settings, rule) == getattr(Settings(), rule))
        else:
            assert not has


def within(versions: str, version: str) -> bool:
    """Whether a release is one of `3.7 to 4.4`."""
    first, _, last = versions.partition(" to ")
    last = last or first
    end = numbered(last) if last.count(".") == 2 else (*numbered(last)[:2], 99)
    return numbered(first) <= numbered(version) <= end


def test_every_exit_code_kip_and_ticket_has_a_meaning() -> None:
    named = {name for one in CATALOGUE for name in one.references()}
    assert all(explanations(word) for word in (*(str(code.value) for code in ExitCode), *KIPS, *sorted(named)))


def test_every_kip_of_the_catalogue_is_told_what_it_is_about() -> None:
    assert {name for one in CATALOGUE for name in one.references() if name.startswith("KIP")} <= KIPS.keys()


def test_every_number_of_the_catalogue_and_every_release_has_a_meaning() -> None:
    numbers = [one.id for one in CATALOGUE] + [one.id for one in NOT_MODELLED]
    assert all(list(_bugs(id)) for id in numbers if references_in(id) != (id,))
    assert all(list(_releases_called(version)) for version in (*VERSIONS, *OLDER))


def test_every_rule_of_the_modern_protocol_has_its_text() -> None:
    assert set(rules()) == set(Settings.__dataclass_fields__)


def test_a_code_that_no_command_gives_says_so() -> None:
    """What is told about one that is given is not the same."""
    sources = [path for folder in ("checker", "cli", "src", "spec") for path in (ROOT / folder).rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources if path.name != "exit_codes.py")
    kept = {code.name for code in ExitCode if "No command gives this code yet." in code.meaning}
    assert kept == set()
    assert {code.name for code in ExitCode if f"ExitCode.{code.name}" in text} & kept == set()


# `epochal show`: what was understood of a protocol, without headings over nothing.

SPEC = """
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, require

class Empty(Protocol):
    flag: bool

class Small(Empty):
    \"\"\"A small one.\"\"\"

    @action(by="n", says="the flag is set to {value}")
    def set_flag(self, value: bool) -> None:
        require(self.may(value))
        self.flag = value

    def may(self, value: bool) -> bool:
        \"\"\"Whether it may be set. Never twice.\"\"\"
        return value != self.flag

    def _private(self) -> bool:
        return True

    @invariant
    def fine(self) -> bool:
        \"\"\"It is fine.\"\"\"
        return True
"""


def test_sentences_and_rules_are_shown(folder: Path, run: Run) -> None:
    """Of a step its sentence, and no empty line for a docstring that it does not have; then the rules of a variant."""
    (folder / "mine.py").write_text(SPEC)
    shown = run("show", "mine.py:Small").stdout
    assert '\n  set_flag(value)  [2 choices, mine.py:12]\n      "the flag is set to {value}"\n\nRules' in shown
    rules = shown.partition("Rules that steps and properties call, each to be replaced in a variant\n")[2]
    assert rules.splitlines()[:2] == ["  may(value)  mine.py:16  Whether it may be set.", ""]


def test_what_is_not_there_is_said_to_be_none(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(SPEC)
    shown = run("show", "mine.py:Empty").stdout
    assert "\nActions\n  none\n\nProperties\n  none\n" in shown
    assert shown.startswith("mine.py:Empty\n\nState\n") and "Rules that" not in shown


def test_the_rules_of_kafka_can_be_found(run: Run) -> None:
    shown = run("show", "kraft").stdout
    assert "\n  may_join(leader, follower)" in shown and "Partition.isFollowerInSync: the follower has all" in shown


def test_what_a_release_is_told_as_is_the_design_and_says_so(run: Run) -> None:
    """The sentences of the class are about the protocol as designed: N1 and S15 are open in 4.4."""
    told = run("show", "kraft", "--kafka", "4.4").stdout
    assert told.startswith("kraft-4.4\n  Under --kafka 4.4. Without that it is:\n  KRaft with eligible leader replicas")
    assert "Without that it is" not in run("show", "kraft").stdout


def test_a_bound_that_a_protocol_lacks_says_why(run: Run) -> None:
    refused = run("show", "kraft-reassignment", "--shrinks", "1")
    assert refused.exit_code == 2
    assert "must be at most 0 (kraft-reassignment leaves these steps out, kraft has them)" in refused.stderr


def test_what_can_be_read_for_every_choice_of_the_bounds(run: Run) -> None:
    """Rule by rule, and each refusal once with its line and advice."""
    read = run("show", "kip-320-proof", "--unbounded").stdout
    assert read.startswith("kip-320-proof: 31 of 31 rules can be read")
    assert run("show", "quorum-proof", "--unbounded").stdout.startswith("quorum-proof: 31 of 31 rules can be read")
    some = run("show", "kip-320-as-shipped", "--unbounded").stdout
    assert not some.startswith("kip-320-as-shipped: no rule")
    assert some.count("has no first-order semantics for every choice of the bounds") == 1
    none = run("show", "async-isr", "--unbounded").stdout
    assert "no rule can be read" in none and "a constraint has no first-order semantics" in none
    assert none.count("a set of records has no first-order semantics") == 2, (
        "what no rule can be read for is said at once"
    )


# `epochal list`: every protocol, by family, as text and as JSON.


def test_every_protocol_has_a_family_and_is_listed_once_in_it(run: Run) -> None:
    assert tuple(FAMILIES) == FAMILY_NAMES
    assert {family_of(name) for name in REGISTRY} == set(FAMILIES)
    assert set(START) <= set(REGISTRY)
    shown = run("list").stdout
    assert shown.startswith("Start here\n  truncate-to-hw  where it began")
    listed = [line.split()[0] for line in shown.partition("\n\n")[2].splitlines() if line.startswith("  ")]
    assert sorted(listed) == sorted(REGISTRY)


def test_one_family(run: Run) -> None:
    shown = run("list", "--family", "quorum").stdout
    assert shown.startswith("quorum: The metadata quorum")
    assert "quorum-proof" in shown and "kip-320" not in shown and "Start here" not in shown
    assert run("list", "--family", "x").exit_code == 2


def test_as_json(run: Run) -> None:
    document = json.loads(run("list", "--format", "json").stdout)
    assert [one["protocol"] for one in document["protocols"]] == list(REGISTRY)
    kip_320 = next(one for one in document["protocols"] if one["protocol"] == "kip-320")
    assert (kip_320["family"], kip_320["proof"]) == ("classic", "kip-320-proof")
    assert kip_320["start"] and kip_320["summary"]
