"""`epochal explain`: exit codes, and every word of the specifications."""

from __future__ import annotations

import pytest

from epochal.exit_codes import ExitCode
from epochal.kafka.glossary import KIPS, explanations, rules
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.kraft.settings import Settings
from tests.cli.conftest import Run
from tests.house.test_architecture import ROOT


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("12", ["12: violated", "An invariant or an action property is violated"]),
        ("11", ["11: deadlock", "No command gives this code yet."]),
        ("13", ["13: liveness violated", "No command gives this code yet."]),
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
                "In kraft, kraft-reassignment, kraft-kip-320  [spec/kraft/leader.py:",
            ],
        ),
        ("MayLead", ["may_lead(r): a rule that steps and properties call"]),
        ("kraft-s15", ["kraft-s15: a protocol", "epochal show kraft-s15"]),
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
        ("KAFKA-18105", "Did you mean KAFKA-18106?"),
        ("zzzzzzzzzz", "'epochal list' and 'epochal show PROTOCOL' have the words there are."),
    ],
)
def test_unknown_words_get_the_nearest(word: str, advice: str, run: Run) -> None:
    result = run("explain", word)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"epochal: '{word}' is no exit code, property, action")
    assert advice in result.stderr


def test_every_exit_code_kip_and_ticket_has_a_meaning() -> None:
    named = {name for one in CATALOGUE for name in one.references()}
    assert all(explanations(word) for word in (*(str(code.value) for code in ExitCode), *KIPS, *sorted(named)))


def test_every_rule_of_the_modern_protocol_has_its_text() -> None:
    assert set(rules()) == set(Settings.__dataclass_fields__)


def test_a_code_that_no_command_gives_says_so() -> None:
    """What is told about one that is given is not the same."""
    sources = [path for folder in ("checker", "cli", "epochal", "spec") for path in (ROOT / folder).rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources if path.name != "exit_codes.py")
    kept = {code.name for code in ExitCode if "No command gives this code yet." in code.meaning}
    assert kept == {"DEADLOCK", "LIVENESS_VIOLATED"}
    assert {code.name for code in ExitCode if f"ExitCode.{code.name}" in text} & kept == set()
