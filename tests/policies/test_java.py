"""The policy of controllers: compiled against Kafka's own classes, and asked as a controller asks it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.brokers.releases import PREPARE, release
from tests.policies.grid import GRID, MIN_ISR, PROMISES, UNCLEAN, Promise, Settings, expected

pytestmark = [pytest.mark.policies, pytest.mark.xdist_group("policies")]

REQUIRED = "EPOCHAL_POLICIES_REQUIRED"
CLASS = "EpochalTopicPolicy"
ASKED = Path(__file__).with_name("Asked.java")
A_POWER_LOSS = PROMISES["4.3, a power loss, and writes go on"]

Ask = Callable[[Mapping[str, str]], dict[str, str]]


def class_path(kafka: str) -> str:
    """The jars of a release; without them or a JDK the test is skipped, or fails where REQUIRED is set."""
    wanted = release(kafka)
    if wanted.present() and shutil.which("javac") and shutil.which("java"):
        return wanted.class_path()
    (pytest.fail if os.environ.get(REQUIRED) else pytest.skip)(f"a JDK, or the jars of Kafka {kafka}: {PREPARE}")


def compiled(text: str, folder: Path, kafka: str) -> Path:
    """The folder with the classes of a policy and of who asks it. A warning of the compiler is an error."""
    source = folder / f"{CLASS}.java"
    source.write_text(text, encoding="utf-8")
    classes = folder / "classes"
    command = [
        "javac",
        "--release",
        "11",
        "-Xlint:all,-options",
        "-Werror",
        "-cp",
        class_path(kafka),
        "-d",
        str(classes),
    ]
    done = subprocess.run([*command, str(source), str(ASKED)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return classes


def line_of(name: str, copies: str, config: Mapping[str, object]) -> str:
    """A question to the program that asks the policy: settings as `kafka-topics --config` has them."""
    texts = (str(value).lower() if isinstance(value, bool) else str(value) for value in config.values())
    pairs = (
        setting if config[setting] is None else f"{setting}={text}" for setting, text in zip(config, texts, strict=True)
    )
    return "\t".join([name, copies, *pairs])


def answers(lines: list[str], classes: Path, kafka: str) -> dict[str, str]:
    """Why each topic is refused; "" if it is not."""
    command = ["java", "-cp", f"{classes}:{class_path(kafka)}", "Asked", CLASS]
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = dict(line.split("\t", 1) for line in done.stdout.splitlines())
    assert len(found) == len(lines)
    return found


def question(name: str, one: Settings) -> str:
    """A topic of the grid. Who leaves out the number sends none, as an assignment does, or -1."""
    return line_of(name, "-1" if one.copies is None else str(one.copies), one.config)


@pytest.mark.parametrize("undecided", ["refuse", "admit"])
@pytest.mark.parametrize("promise", PROMISES.values(), ids=PROMISES)
def test_it_admits_what_the_audit_says(promise: Promise, undecided: str, tmp_path: Path) -> None:
    classes = compiled(promise.policy("java", undecided).text, tmp_path, promise.kafka)
    told = answers([question(*item) for item in GRID.items()], classes, promise.kafka)
    admitted = {name: not why for name, why in told.items()}
    assert admitted == expected(promise, undecided)
    assert len(set(admitted.values())) == 2
    assert all(why == "" or why.startswith(f"{name}: ") for name, why in told.items())


def test_assignments_and_what_kafka_does_not_take(tmp_path: Path) -> None:
    """Each number of replicas counts, and a value that Kafka refuses is refused, also where all else is admitted."""
    two = {MIN_ISR: 2}
    lines = {
        "all": line_of("all", "3+3", two),
        "one": line_of("one", "3+1", two),
        "none": line_of("none", "", two),
        "word": line_of("word", "3", {MIN_ISR: "two"}),
        "zero": line_of("zero", "3", {MIN_ISR: 0}),
        "script": line_of("script", "3", {MIN_ISR: "\u0662"}),
        "null": line_of("null", "3", {MIN_ISR: None}),
        "neither": line_of("neither", "3", {MIN_ISR: 2, UNCLEAN: None}),
        "huge": line_of("huge", "3", {MIN_ISR: "99999999999999999999"}),
        "maybe": line_of("maybe", "3", {MIN_ISR: 2, UNCLEAN: "maybe"}),
    }
    classes = compiled(A_POWER_LOSS.policy("java", "admit").text, tmp_path, "4.3")
    told = answers(list(lines.values()), classes, "4.3")
    assert [name for name, why in told.items() if not why] == ["all", "none"]
    assert "1/more/false: a crash that loses data: an acknowledged record is lost" in told["one"]
    assert told["zero"] == f"zero: {MIN_ISR} is no number above zero"
    assert told["null"] == f"null: {MIN_ISR} is no number above zero"
    assert told["neither"] == f"neither: {UNCLEAN} is neither true nor false"
    assert told["maybe"] == f"maybe: {UNCLEAN} is neither true nor false"
