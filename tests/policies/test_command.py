"""`epochal policy` on the command line and in Python: what it writes, and one message for each wrong word."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from tests.cli.conftest import Run
from tests.policies.grid import PROMISES

ASKED = ("policy", "--for", "opa", "--kafka", "4.3", "--elr", "on")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "nothing is promised"),
        (("--keep", "lossi"), "there is no fault 'lossi'"),
        (("--keep", "lossy", "--keep", "\x1b[31m"), "there is no fault"),
        (("--keep", "lossy", "--kafka", "9.9"), "no release of Kafka is known as '9.9'"),
        (("--keep", "lossy", "--kafka", "3.9"), "Kafka 3.9 has no eligible leader replicas: these came with 4.0"),
        (("--keep", "lossy", "--for", "gatekeeper"), "'gatekeeper' is not one of"),
        (("--keep", "lossy", "--undecided", "maybe"), "'maybe' is not one of"),
        (("--keep", "lossy", "--writes-with-down", "3"), "3 is not in the range"),
        (("--keep", "lossy", "--default", "min.isr=2"), "--default 'min.isr=2' is no default of a topic"),
        (("--keep", "lossy", "--default", "min.insync.replicas"), "is no default of a topic"),
        (("--keep", "lossy", "--default", "min.insync.replicas=0"), "is a number above zero, not '0'"),
        (("--keep", "lossy", "--default", "min.insync.replicas=\u0662"), "is a number above zero, not"),
        (("--keep", "lossy", "--default", "unclean.leader.election.enable=yes"), "is true or false, not 'yes'"),
        (
            ("--keep", "lossy", "--default", "min.insync.replicas=1", "--default", "min.insync.replicas=2"),
            "min.insync.replicas is 1 and 2: give one of them",
        ),
        (("--keep", "two-lossy", "--writes-with-down", "2"), "no settings that were searched keep this promise"),
    ],
    ids=lambda one: " ".join(one).encode("ascii", "backslashreplace").decode() if isinstance(one, tuple) else "",
)
def test_a_wrong_word_is_one_message(words: tuple[str, ...], told: str, run: Run) -> None:
    done = run(*ASKED, *words)
    assert done.exit_code == ExitCode.USAGE and told in done.output
    assert "Traceback" not in done.output and "\x1b" not in done.output and len(done.output.splitlines()) <= 6


@pytest.mark.parametrize("missing", ["--for", "--kafka"])
def test_what_must_be_said(missing: str, run: Run) -> None:
    words = [*ASKED, "--keep", "lossy"]
    at = words.index(missing)
    done = run(*words[:at], *words[at + 2 :])
    assert done.exit_code == ExitCode.USAGE and missing in done.output


def test_the_file_is_what_is_printed(tmp_path: Path, run: Run) -> None:
    words = [*ASKED, "--keep", "lossy", "--writes-with-down", "1"]
    file = tmp_path / "topics.rego"
    printed, written = run(*words), run(*words, "--out", str(file))
    assert printed.exit_code == written.exit_code == 0
    assert printed.stdout == file.read_text(encoding="utf-8")
    assert "admitted: 3/2/false, 3/2/true" in written.output
    nowhere = run(*words, "--out", str(tmp_path / "none" / "topics.rego"))
    assert nowhere.exit_code == ExitCode.ENGINE_FAILURE and "nothing can be written there" in nowhere.output


@pytest.mark.parametrize("target", ["kubernetes", "opa", "java"])
def test_the_head_says_what_was_searched(target: str) -> None:
    """The promise, the release, the bounds, each class once, what breaks it all the same, and what is not known."""
    result = PROMISES["4.3, a power loss, and writes go on"].policy(target)
    head = " ".join(
        line.strip("#/* ") for line in result.text.split("apiVersion")[0].split("package main")[0].splitlines()
    )
    for words in (
        "No record that was acknowledged or read is lost: a crash that loses data.",
        "Writes with acks=all succeed while 1 broker is down.",
        "the rules of Kafka 4.3 as designed (G9), with eligible leader replicas on and acks=all",
        "--records 1 --max-epoch 3",
        "breaks this for admitted classes by known bugs: S15.",
        "not decided, and refused: a replication factor above 4, and one that nobody says",
        "min.insync.replicas: any value may be in force",
        "Not known to this policy: the acks of producers",
    ):
        assert words in head
    for one in result.classes:
        assert f"{one.key}" in head
    assert f"--for {target} --kafka 4.3 --elr on --keep lossy --writes-with-down 1 --undecided refuse" in head


def test_a_promise_as_shipped_asks_for_the_bugs() -> None:
    """What the design keeps and a known bug breaks is refused then, with the states of its run."""
    designed, shipped = (
        epochal.policy(target="opa", kafka="4.3", elr=True, keep="clean", as_shipped=one) for one in (False, True)
    )
    (kept,), (broken,) = ([one for one in policy.classes if one.key == "3/2/false"] for policy in (designed, shipped))
    assert kept.verdict == "admitted" and kept.holes and broken.verdict == "refused"
    assert "a crash that loses nothing: an acknowledged record is lost (" in broken.why
    assert designed.to_dict()["classes"][0]["verdict"] in ("admitted", "refused", "undecided")
    with pytest.raises(EpochalError, match="a policy would refuse every topic"):
        epochal.policy(target="opa", kafka="4.3", elr=True, keep="two-lossy", writes_with_down=2)
