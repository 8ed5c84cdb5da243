"""Fixes of open holes: which there are, what making them needs, and that they fit the newest release."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from epochal.errors import EngineError, UsageError
from epochal.kafka.lockstep.changed import changed_classes, javassist
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.fixes import FIXES, NOT_IN_THE_MODEL, SmallestFix, Where, fixes_named
from epochal.kafka.lockstep.jdk import found_jdk
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from tests.lockstep.conftest import Released


def test_a_fix_is_named_by_its_hole_in_any_case_and_taken_once() -> None:
    assert [one.id for one in fixes_named(["h8B", "n1", "N1", "kafka-15591"])] == ["H8b", "N1", "KAFKA-15591"]
    assert fixes_named(["H7"]) == fixes_named(["H7b"])
    with pytest.raises(UsageError, match="there is no fix of Z999\n  Known fixes: N1, S15, ") as told:
        fixes_named(["N1", "Z999"])
    assert told.value.exit_code == 2


def test_every_fix_is_of_a_known_hole_that_has_no_other() -> None:
    holes = [hole for one in FIXES for hole in one.holes]
    assert len(set(holes)) == len(holes) and set(holes) - {bug.id for bug in KNOWN_BUGS} == set(NOT_IN_THE_MODEL)


def test_every_patch_says_where_and_with_code() -> None:
    """A word too many in its place would shift the code, and no type checker sees that."""
    for one in FIXES:
        for patch in one.patches:
            assert patch.where in get_args(Where) and patch.code.lstrip().startswith("{"), one.id
            assert not patch.field or patch.field.startswith("private "), one.id


def test_javassist_that_is_missing_or_another_is_told_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPOCHAL_KAFKA_JARS", str(tmp_path))
    with pytest.raises(EngineError, match=r"javassist-[\d.]+-GA\.jar is not there") as told:
        javassist()
    assert told.value.exit_code == 153
    assert "Fetch it: mvn -q --strict-checksums dependency:copy -Dartifact=org.javassist:javassist:" in str(told.value)
    jar = Path(str(told.value).split("Javassist, and ")[1].split(" is not")[0])
    jar.parent.mkdir()
    jar.write_text("another")
    with pytest.raises(EngineError, match=r"is not Javassist [\d.]+-GA as released\n  Remove it\. Fetch it: mvn"):
        javassist()


@pytest.mark.lockstep
@pytest.mark.parametrize("fix", FIXES, ids=lambda fix: fix.id)
def test_a_fix_fits_the_newest_release(released: Released, tmp_path: Path, fix: SmallestFix) -> None:
    made = changed_classes(released("4.4.0"), fix.patches, fix.id, found_jdk(), tmp_path)
    found = {path.relative_to(made).with_suffix("").as_posix() for path in made.rglob("*.class")}
    assert found == {patch.class_for("4.4.0").replace(".", "/") for patch in fix.patches}


@pytest.mark.lockstep
def test_a_fix_that_does_not_fit_says_what_is_missing(released: Released, tmp_path: Path) -> None:
    (fix,) = fixes_named(["H13"])
    with pytest.raises(EngineError, match=r"the fix of H13 does not fit Kafka 3\.9\.2: there is no class .*LogManager"):
        changed_classes(released("3.9.2"), fix.patches, "the fix of H13", found_jdk(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_fixes_are_among_the_words_that_ask_again(tmp_path: Path) -> None:
    found = kafka_classes(None, str(tmp_path), fixes=["n1"])
    assert found.told == ("--fix", "N1", "--classpath", str(tmp_path))
    assert found.fixes == fixes_named(["N1"])
