"""Guarantees of several protocols side by side, what is behind a NO, and the answers that come with the package."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import epochal
from epochal.api.guarantees import Guarantees, kept
from epochal.checker.compile.compiler import compile_protocol
from epochal.cli.main import main
from epochal.kafka.guarantees import tables as faults_apart
from epochal.kafka.guarantees.cases import (
    ALREADY_IN_THE_KEY,
    ASKED,
    FAMILY,
    Answer,
    _text,
    find_usual,
    holes_key,
    modules_with_rules,
    rules_key,
)
from epochal.kafka.guarantees.decide_usual import Decider, Task, digested, kind_of, tasks
from epochal.kafka.guarantees.decided import Decided, Guarantee, program_digest
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.guarantees import BOUNDS, FAULTS, guarded, own_fault, with_witnesses
from epochal.spec.kraft.state import Replica
from epochal.spec.kraft.usual import UsualCase, usual_cases
from epochal.spec.language import Protocol, action, invariant

TINY: dict[str, Any] = {"replication_factor": 2, "max_epoch": 1, "metadata_lag": 1, "shrinks": 0, "elections": 0}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["guarantees", "--progress", "none", *arguments])


def test_the_usual_answers_are_decided_by_the_module_of_that_name() -> None:
    """Run as a program, its classes would be of `__main__`, which is another module in a worker process."""
    code = (
        "import runpy\nfrom epochal.kafka.guarantees import decide_usual\n"
        "decide_usual.main = lambda: 7\nrunpy.run_module(decide_usual.__name__, run_name='__main__')"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7


def test_the_newest_release_stands_beside_the_design() -> None:
    """By default, and decided beforehand: nothing is searched."""
    result = epochal.guarantees()
    shipped, designed = result.tables
    assert (shipped.column.title, designed.column.title) == ("Kafka 4.4", "as designed")
    assert shipped.decided[0].answers["acknowledged"].verdict == "violated"
    assert "S15" in shipped.decided[0].answers["acknowledged"].behind
    assert designed.decided[0].answers["acknowledged"].verdict == "holds"
    told = str(result)
    assert "no ticket known" in told and "a run above needs it" in told


@pytest.mark.parametrize(
    ("said", "titles"),
    [
        ({"kafka": "3.9.1"}, [("Kafka 3.9.1", "kraft --kafka 3.9.1"), ("as designed", "kraft --kafka G8")]),
        pytest.param(
            {"kafka": "4.0", "elr": True},
            [("Kafka 4.0", "kraft --kafka 4.0 --elr"), ("as designed", "kraft --kafka G9 --elr")],
            marks=pytest.mark.long,
        ),
        ({"kafka": "g8"}, [("G8", "kraft --kafka g8")]),
        pytest.param(
            {"versions": ("3.9", "G9")},
            [("Kafka 3.9", "kraft --kafka 3.9"), ("G9", "kraft --kafka G9")],
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_stands_beside_each_other(said: dict[str, Any], titles: list[tuple[str, str]]) -> None:
    result = epochal.guarantees(**said, **TINY, faults="none")
    found = [(table.column.title, table.column.reference) for table in result.tables]
    assert found == titles


CHANGE = """\
from epochal.language import action
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.state import Replica


class Forgetful(ConfigurableKraft):
    \"\"\"A Kafka whose brokers forget their logs when they crash once.\"\"\"

    @action
    def forget(self, broker: Replica) -> None:
        if self.used.crashes == 1:
            self.brokers[broker].log.truncate(0)
"""


def test_only_what_changed_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CHANGE)
    bounds = [part for name, value in TINY.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    faults = ("--fault", "none", "--fault", "clean")
    result = run("mine.py:Forgetful", "--against", "kraft", *bounds, *faults)
    assert result.exit_code == 0, result.stderr
    rows = [line for line in result.stdout.splitlines() if line.startswith("  a ") or "no broker fails" in line]
    assert len(rows) == 1 and rows[0].split("  ")[1] == "a crash that loses nothing"
    assert "Under 1 other fault they guarantee the same." in result.stdout
    assert "KRAFT" in result.stdout and "MINE.PY:FORGETFUL" in result.stdout


def test_what_it_is_held_against_is_a_protocol() -> None:
    wrong: Any = 5
    with pytest.raises(epochal.EpochalError, match="guarantees takes a protocol within bounds"):
        epochal.guarantees(against=wrong, faults="none")


def test_the_headline_does_not_hide_what_is_not_decided() -> None:
    answers = {"acknowledged": Guarantee("open"), "read": Guarantee("violated", 13), "logs": Guarantee("open")}
    decided = Decided(FAULTS[0], "kraft", {}, answers, (None, None), 1, 1, "the time budget of 1 s is spent")
    (table,) = epochal.guarantees(kafka="G9", faults="none").tables
    result = Guarantees((replace(table, decided=(decided,)),), {}, FAULTS[:1], "columns")
    assert result.headline == "kraft --kafka G9: 1 guarantee broken, 2 not decided"


def test_where_nothing_changed_the_design_is_asked_about_next() -> None:
    """kraft without a version is the design; the command alone is about the newest release."""
    told = run("--against", "kraft").stdout
    assert "Under all 9 faults they guarantee the same." in told
    assert "epochal guarantees --kafka G9 --fault lossy-and-clean --story" in told


def test_a_fault_that_is_part_of_all_has_no_row() -> None:
    told = run("--unclean-leader-election")
    assert told.exit_code == 0 and "unclean election on" not in told.stdout
    alone = run("--unclean-leader-election", "--fault", "unclean")
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert "the fault unclean is two-clean under these settings" in alone.stderr
    assert (
        "the fault lossy-spared is lossy under"
        in run("--lossy-crashes-spare-last-member", "--fault", "none", "--fault", "lossy-spared").stderr
    )


def test_without_acknowledgements_the_cell_says_what_was_read() -> None:
    answers = {
        "acknowledged": Guarantee("nothing"),
        "read": Guarantee("violated", 13, ("S15",)),
        "logs": Guarantee("holds"),
    }
    found = Decided(FAULTS[0], "kraft --acks 0", {}, answers, (None, None), 1, 1, "")
    assert kept(found, logs=False) == ("read NO, 13 states: S15; nothing acknowledged", "bad")
    found = replace(found, answers={**answers, "read": Guarantee("holds")})
    assert kept(found, logs=False) == ("read yes; nothing acknowledged", "good")
    assert kept(found, logs=True) == ("read and logs yes; nothing acknowledged", "good")


def test_a_partition_that_moves_is_asked_about_as_such() -> None:
    """It has other bounds than kraft, and is no release; replicas are reassigned."""
    bounds = ("--replication-factor", "1", "--max-epoch", "0", "--metadata-lag", "1", "--reassignments", "1")
    asked = run("kraft-reassignment", *bounds, "--fault", "none", "--against", "kraft")
    assert asked.exit_code == 0, asked.stderr
    assert asked.stdout.startswith("kraft and kraft-reassignment, replication factor 1: what is guaranteed")
    assert "Under this fault they guarantee the same." in asked.stdout
    assert "--shrinks 0 --elections 0 --reassignments 1," in asked.stdout
    assert "Replicas are\n  reassigned, and nobody changes a setting" in asked.stdout
    protocol = epochal.load("kraft-reassignment", replication_factor=1, max_epoch=0, reassignments=0)
    (alone,) = epochal.guarantees(protocol, faults="none").tables
    assert (alone.column.title, alone.decided[0].bounds["reassignments"]) == ("kraft-reassignment", 0)


def test_the_run_of_a_no_is_told_once() -> None:
    words = ("--kafka", "G9", "--replication-factor", "2", "--metadata-lag", "1", "--elections", "0")
    result = run(*words, "--fault", "lossy-and-clean", "--story")
    assert result.stdout.count("Under: G9, a crash that loses data, and one that loses nothing") == 2
    assert "acknowledged_durable is violated" in result.stdout and "leader_completeness is violated" in result.stdout


def test_a_fault_of_ones_own() -> None:
    fault = own_fault("fencings=1, lossy-crashes=2,crashes=0")
    assert (fault.id, dict(fault.budget)) == ("lossy_crashes=2,fencings=1", {"lossy_crashes": 2, "fencings": 1})
    assert fault.title == "2 crashes that lose data, 1 fencing or clean shutdown"
    result = epochal.guarantees(**TINY, kafka="G9", faults=["crashes=3", "none"])
    assert [(one.fault.id, one.bounds["crashes"]) for one in result.tables[0].decided] == [
        ("none", 0),
        ("crashes=3", 3),
    ]
    with pytest.raises(epochal.EpochalError, match="give faults='crashes=1' for another"):
        epochal.guarantees(crashes=1)


def test_a_variant_is_never_answered_from_the_file() -> None:
    """Its own steps are judged, although its settings are usual ones."""

    class Forgetful(ConfigurableKraft):
        @action
        def forget(self, broker: Replica) -> None:
            self.brokers[broker].log.truncate(0)

    result = epochal.guarantees(Forgetful(**{**BOUNDS, **TINY}), faults="none")
    assert result.tables[0].broken > 0


def test_every_usual_case_is_decided() -> None:
    """`make guarantees` brings the file up to date."""
    wanted = tasks(usual_cases())
    missing = [task[1:] for task in wanted.values() if kept_answer(task) is None]
    assert missing == []


def kept_answer(task: Task) -> Answer | None:
    """What the file says of a case."""
    key, settings, bounds = task
    return find_usual(key, holes_key(kind_of(settings), bounds, ASKED))


def _decided_again(number: int) -> None:
    """One of the usual cases, the smallest first, is searched again: the answer is the same, to the last count."""
    task = list(tasks(usual_cases()).values())[number]
    _, answer = Decider({}).answer(task)
    kept = kept_answer(task)
    assert kept is not None
    assert json.loads(json.dumps(answer)) == kept


@pytest.mark.parametrize("number", [3, 30])
def test_a_sample_is_decided_again(number: int) -> None:
    _decided_again(number)


@pytest.mark.long
@pytest.mark.parametrize("number", range(60, 180, 20))
def test_a_larger_sample_is_decided_again(number: int) -> None:
    _decided_again(number)


def test_digests_are_taken_of_what_is_asked_only() -> None:
    """A property that nobody asks about comes or goes; a step, or an asked property, makes another program."""

    class Judged(ConfigurableKraft):
        @invariant
        def nobody_asks(self) -> bool:
            return self.used.crashes < 9

    class Asks(ConfigurableKraft):
        @invariant
        def acknowledged_durable(self) -> bool:
            return self.used.crashes < 9

    class Steps(ConfigurableKraft):
        @action
        def forget(self, broker: Replica) -> None:
            self.brokers[broker].log.truncate(0)

    def digest(kind: type[ConfigurableKraft], only: tuple[str, ...] | None = ASKED) -> str:
        bounds = {**BOUNDS, **TINY, "replication_factor": 1}
        return program_digest(compile_protocol(with_witnesses(kind)(**bounds), only=only))

    plain = digest(ConfigurableKraft)
    assert plain == digest(Judged) == digest(Judged, None)
    assert len({plain, digest(Asks), digest(Steps)}) == 3


def test_digests_are_written_again_as_they_were() -> None:
    wanted = tasks(usual_cases())
    tried = dict(list(wanted.items())[:130:60])
    kept = {key: kept_answer(task) for key, task in tried.items()}
    bare: dict[str, Any] = {key: {**(answer or {}), "specification": ""} for key, answer in kept.items()}
    assert digested(bare, tried) == kept


def test_an_answer_is_not_found_if_other_bugs_were_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is behind a run is said of all the bugs that are known today."""
    task = tasks(iter([UsualCase({"kafka": "4.4"}, FAULTS[0], FAULTS[0].bounds(BOUNDS))])).popitem()[1]
    assert kept_answer(task) is not None
    known = open_holes(guarded(task[1]).settings)
    monkeypatch.setattr("epochal.kafka.guarantees.cases.open_holes", lambda settings: known[1:])
    assert kept_answer(task) is None


ONLY_CHOOSE_CLASSES = {"epochal.spec.kraft.options.needed", "epochal.spec.kraft.reductions"}
"""What these modules do is in the key: the classes that a protocol is made of. Kafka's own rules void no reduction."""


def test_every_function_that_a_rule_may_call_is_in_the_key() -> None:
    """A change in any of them makes another key, or is among the settings, whose values are in the key."""
    for settings in ({"kafka": "2.8"}, {"kafka": "4.4"}, {}):
        modules = modules_with_rules(guarded(settings), ASKED)
        assert len(modules) > 5
        for module in modules:
            called = {one for one in _modules_called(module) if one.startswith(FAMILY)}
            assert called <= {*modules, *ALREADY_IN_THE_KEY, *ONLY_CHOOSE_CLASSES}, module


def _modules_called(module: str) -> set[str]:
    """The modules from which a module has anything but protocols."""
    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            of = resolve_name("." * node.level + (node.module or ""), module.rpartition(".")[0])
            named = (getattr(sys.modules[of], one.name, None) for one in node.names if of in sys.modules)
            if any(not (isinstance(one, type) and issubclass(one, Protocol)) for one in named):
                found.add(of)
    return found


def test_releases_with_the_same_rules_have_the_same_key() -> None:
    def key(**said: Any) -> str:
        return rules_key(guarded(said), {**FAULTS[1].bounds(BOUNDS)}, ASKED)

    assert key(kafka="4.1") == key(kafka="4.4") != key(kafka="4.0")
    assert key(kafka="G9") == key() != key(acks="1")
    assert rules_key(guarded({}), FAULTS[0].bounds(BOUNDS), ASKED) != key()


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        (
            '@action(by="leader", says="Words")\ndef step(self):\n    "."\n    require(self.x > 0)\n    self.x -= 1',
            True,
        ),
        ("@action\ndef step(self):\n    # words\n    require(self.x > 0)\n\n    self.x -= 1", True),
        ("@action\ndef step(self):\n    require(self.x >= 0)\n    self.x -= 1", False),
        ("@action\ndef step(self):\n    self.x -= 1", False),
        ("def step(self):\n    require(self.x > 0)\n    self.x -= 1", False),
    ],
)
def test_what_is_for_people_is_no_rule(changed: str, same: bool) -> None:
    def text(source: str) -> list[str]:
        return [line for node in ast.parse(source).body for line in _text(node, frozenset())]

    assert (text(changed) == text("@action\ndef step(self):\n    require(self.x > 0)\n    self.x -= 1")) == same


def test_judgements_that_are_not_asked_for_are_no_rule() -> None:
    node = ast.parse("@invariant\ndef fine(self):\n    return self.x > 0").body[0]
    assert list(_text(node, frozenset())) == [] != list(_text(node, frozenset({"fine"})))


def test_what_breaks_a_promise_next() -> None:
    """3.9.1 loses by an unclean shutdown; with that closed by KIP-966's proposals, and then by nothing known."""
    bounds: dict[str, Any] = {"replication_factor": 2, "metadata_lag": 1, "elections": 0}
    result = epochal.guarantees(kafka="3.9.1", min_insync_replicas=1, **bounds, faults="lossy", causes=True)
    told = str(result)
    assert "Causes of each NO: the same fault, with what was behind it closed" in told
    (fault,) = result.to_dict()["tables"][0]["faults"]
    first, then, last = (one["answers"]["read"] for one in (fault, *fault["causes"]))
    assert [one["verdict"] for one in (first, then, last)] == ["violated", "violated", "holds"]
    assert [one["closed"] for one in fault["causes"]] == [first["behind"], [*first["behind"], *then["behind"]]]
    assert "KAFKA-18106, KIP-966 (S20), KIP-966 (S24), N2" in told


@pytest.mark.long
def test_processes_decide_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults that nothing is known of, side by side and one after the other; then all are kept."""
    asked: dict[str, Any] = {**TINY, "replication_factor": 1, "faults": ["none", "clean", "fencing"]}
    found = []
    for workers in (2, 1):
        monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / str(workers)))
        found.append(epochal.guarantees(kafka="3.9", workers=workers, **asked).to_dict())
    assert found[0] == found[1]
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "2"))
    monkeypatch.setattr(faults_apart, "apart", lambda *_: pytest.fail("everything is kept"))
    assert epochal.guarantees(kafka="3.9", workers=2, **asked).to_dict() == found[0]


# A protocol of one's own held against kraft: an empty promise is told, and whose run is told next.


def test_where_both_say_no_ones_own_run_is_told_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(CHANGE)
    bounds = ("--replication-factor", "2", "--metadata-lag", "1", "--elections", "0")
    said = run("mine.py:Forgetful", "--against", "kraft", *bounds, "--fault", "lossy-and-clean")
    after = said.stdout.partition("\nNext\n")[2]
    assert "epochal guarantees mine.py:Forgetful --fault lossy-and-clean" in after and "--kafka" not in after


SILENT = """\
from epochal.language import Identifier
from epochal.spec.kraft.configuration import ConfigurableKraft


class Forgets(ConfigurableKraft):
    \"\"\"A Kafka whose followers copy nothing: no write with acks=all ever succeeds.\"\"\"

    def copy_next(self, follower: Identifier, leader: Identifier) -> None:
        pass
"""


def test_a_protocol_that_acknowledges_nothing_keeps_no_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing acknowledged is lost, for nothing is ever acknowledged: that is not the same as what kraft promises."""
    monkeypatch.chdir(tmp_path)
    Path("v.py").write_text(SILENT)
    bounds = ("--replication-factor", "2", "--records", "1", "--max-epoch", "1", "--metadata-lag", "1")
    said = run("v.py:Forgets", "--against", "kraft", *bounds, "--fault", "lossy", "--fault", "clean")
    assert said.exit_code == 0, said.stderr
    assert "they guarantee the same" not in said.stdout
    assert (
        "v.py:Forgets never acknowledges a record where kraft --fetch-answers-lost does: a crash that loses "
        in said.stdout
    )
    assert said.stdout.count("read yes; nothing acknowledged") == 2
    again = run("v.py:Forgets", *bounds, "--fault", "clean")
    assert "v.py:Forgets never acknowledges a record: a crash that loses nothing." in again.stdout
