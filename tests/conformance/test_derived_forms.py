"""Evidence in other forms, and parts of it, is of the same brokers: nothing that they left is refused for its form.

No recording here is of brokers that broke a rule, so that none is left out.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.validation.collected import collected
from epochal.kafka.validation.run import judged_runs
from tests.conformance.derived import FORMS, files_of, written
from tests.conformance.evidence import ARCHIVES, INJECTED, of_archive

SMALL = tuple(name for name in ARCHIVES if not name.endswith("-tier-2"))
SHORT = ("isr-shrink-4.3.1", "leader-change-4.2.1")
"""Of a disk that lacks its end, or logs of one broker, a run is looked for among many moments of a long recording."""


def sampled(number: int, form: str) -> str:
    """The recording of which a form is judged."""
    among = SHORT if form.startswith("the disk of") or form.endswith("alone") else SMALL
    return among[7 * number % len(among)]


SAMPLE = tuple((sampled(number, form), form) for number, form in enumerate(FORMS))
"""Every form, nearly each of another recording."""

OF_LONG_RECORDINGS = ("docker compose", "one file", "no server.log", "no logs of 2", "no disk of 2", "rotated")

AS_GOOD = ("docker compose", "kubectl", "loki", "syslog", "rotated", "rotated and compressed")
"""Forms of which nothing is missing: what is accepted of a recording is accepted of these."""


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where lines are missing a run is looked for not as long as otherwise: finding none says nothing there."""
    monkeypatch.setattr(judged_runs, "MOST_OF_A_PART", 100)
    monkeypatch.setattr(judged_runs, "A_LINE_OF_A_PART", 1)


def judged(name: str, form: str, folder: Path) -> epochal.Conformance:
    """A form of a recording, as whoever asks is answered."""
    (version,) = of_archive(name).versions
    return epochal.conform(written(FORMS[form](dict(files_of(name))), folder), kafka=version)


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(("name", "form"), SAMPLE, ids=lambda one: str(one).replace(" ", "-"))
def test_no_form_is_refused(name: str, form: str, tmp_path: Path) -> None:
    result = judged(name, form, tmp_path)
    assert result.exit_code == ExitCode.HOLDS, f"{name}, {form}: {result}"


@pytest.mark.long
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("name", [*ARCHIVES, *INJECTED])
def test_no_form_of_any_recording_is_refused(name: str, tmp_path: Path) -> None:
    """Every form of every recording."""
    forms = OF_LONG_RECORDINGS if name in INJECTED else FORMS
    refused = [form for form in forms if judged(name, form, tmp_path / form).exit_code != ExitCode.HOLDS]
    assert refused == []


RECORDED = "leader-change-4.3.1"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> epochal.Conformance:
    """A recording by the files that brokers left."""
    folder = written(files_of(RECORDED), tmp_path_factory.mktemp("whole"))
    return epochal.conform(folder, kafka=of_archive(RECORDED).versions[0])


@pytest.mark.xdist_group("forms of one recording")
@pytest.mark.parametrize("form", AS_GOOD)
def test_another_form_of_all_of_it_is_as_good(form: str, whole: epochal.Conformance, tmp_path: Path) -> None:
    """What is told is told by the same lines, and one run explains it."""
    result = judged(RECORDED, form, tmp_path)
    assert result.judged.runs is not None and whole.judged.runs is not None
    assert result.brokers is not None and whole.brokers is not None
    assert result.brokers.judged == whole.brokers.judged and result.brokers.left_out == whole.brokers.left_out
    assert [(one.partition, one.explained) for one in result.judged.runs.whole] == [
        (one.partition, one.explained) for one in whole.judged.runs.whole
    ]


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    """And no moment is looked at where no run can be found."""
    result = judged("leader-change-4.3.1", "no state-change.log of 2", tmp_path)
    assert result.judged.runs is not None
    told = {one.partition: (one.given_up, one.moments) for one in result.judged.runs.undecided}
    assert told["t-0"] == ("not here: state-change.log of broker 2", 0)
    assert "not decided: t-0: not here: state-change.log of broker 2" in str(result)


def test_partitions_of_which_lines_are_missing_are_not_looked_at_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logs of one broker alone: what clients use comes first, and the rest is left out early."""
    monkeypatch.setattr(judged_runs, "MOST_OF_A_PART", 60)
    monkeypatch.setattr(judged_runs, "A_LINE_OF_A_PART", 0)
    monkeypatch.setattr(judged_runs, "MOMENTS_OF_PARTS", 60)
    runs = judged("injected-3-3.9.2", "logs of 1 alone", tmp_path).judged.runs
    assert runs is not None and [one.partition for one in runs.runs] == ["t-0"]
    assert runs.left_out == {"lines of it are missing, and 60 moments were looked at for others": 1}


@pytest.mark.parametrize(("form", "lines"), [(None, [5]), ("shuffled", [1, 1, 1, 1, 1])])
def test_one_partition_goes_back_in_time_by_nothing(form: str | None, lines: list[int], tmp_path: Path) -> None:
    """Its two roles are 391 ms apart: threads that write side by side differ by more, and this is one thread."""
    files = dict(files_of("reproduced-t1-4.3.1"))
    left = {name: content for name, content in files.items() if name == "node-3/logs/state-change.log"}
    found = collected([written(FORMS[form](left) if form else left, tmp_path)]).logs
    assert [len(one.events) for one in found] == lines
