"""The reports are what other programs read: SARIF by its schema, JUnit by junitparser, result.json by its own schema.

`data/sarif-2.1.0-rtm.5.json.xz` is the schema of SARIF 2.1.0 as SchemaStore publishes it, taken from the npm package
@microsoft/jest-sarif 1.0.0-beta.0.
"""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from junitparser import Error, Failure, JUnitXml, Skipped

from epochal.checker.gate.reports import gate_schema, junit_files, sarif_document, workflow_commands
from epochal.checker.gate.verdict import GateFinding, GateResult, ModelOutcome
from epochal.spec.language import SourceLine
from tests.checker.gate.conftest import KIP_279, KIP_320, SHOWING, UNFENCED, Repository
from tests.packed import text_of

SARIF = json.loads(text_of(Path(__file__).parent / "data" / "sarif-2.1.0-rtm.5.json.xz"))

pytestmark = pytest.mark.xdist_group("reports of the gate")
"""Most of these tests look at what one run has written."""


def validate_sarif(document: Any) -> None:
    """Raise ValidationError for a document that the schema of SARIF does not allow."""
    jsonschema.Draft4Validator(SARIF, format_checker=jsonschema.FormatChecker()).validate(document)


@pytest.fixture(scope="module")
def violated(tmp_path_factory: pytest.TempPathFactory, recorded: Repository) -> tuple[Repository, str]:
    """A repository in which the fence of KIP-320 was dropped, with the reports of the gate; and what it printed."""
    folder = tmp_path_factory.mktemp("violated")
    (folder / "work" / "models").mkdir(parents=True)
    repository = Repository(folder / "work", folder / "cache")
    shutil.copytree(recorded.cache / "objects", repository.cache / "objects")
    repository.git("init", "-q")
    inside = Repository(folder / "work" / "models", folder / "cache")
    inside.write("mine.py", KIP_320)
    inside.model(SHOWING)
    inside.baseline()
    repository.commit()
    inside.write("mine.py", UNFENCED)
    summary = folder / "step-summary.md"
    done = inside.epochal(
        "gate", "--base", "HEAD", "--out", "report", GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary)
    )
    assert done.returncode == 12, done.stderr
    return inside, done.stdout


def line_of(text: str, wanted: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if wanted in line)


def test_the_sarif_is_valid_and_points_at_the_last_action(violated: tuple[Repository, str]) -> None:
    report = violated[0].path / "report"
    document = json.loads((report / "sarif.json").read_text(encoding="utf-8"))
    validate_sarif(document)
    (run,) = document["runs"]
    assert run["automationDetails"]["id"] == "epochal/mine/"
    results = {result["ruleId"]: result for result in run["results"]}
    assert {"weak_isr", "strong_isr", "gate-widened"} == set(results)
    result = json.loads((report / "result.json").read_text(encoding="utf-8"))
    found = {f["about"]: f for f in result["models"][0]["findings"]}
    for name in ("weak_isr", "strong_isr"):
        place = results[name]["locations"][0]["physicalLocation"]
        source = found[name]["source"]
        prefix = "" if source["file"].startswith("spec/") else "models/"
        assert place["artifactLocation"]["uri"] in (f"models/{source['file']}", f"{prefix}{source['file']}")
        assert place["region"]["startLine"] == source["line"]
        steps = results[name]["codeFlows"][0]["threadFlows"][0]["locations"]
        assert len(steps) == 13
        assert steps[0]["location"]["message"]["text"].startswith("1. ")
        rule = run["tool"]["driver"]["rules"][results[name]["ruleIndex"]]
        assert rule["id"] == name
        assert re.fullmatch(r"[0-9a-f]{16}:1", results[name]["partialFingerprints"]["primaryLocationLineHash"])


def test_the_schema_of_sarif_is_not_satisfied_by_anything() -> None:
    with pytest.raises(jsonschema.ValidationError):
        validate_sarif({"version": "2.1.0", "runs": [{"results": []}]})


def test_the_annotation_stands_at_the_line_of_the_action(violated: tuple[Repository, str]) -> None:
    repository, printed = violated
    line = line_of(UNFENCED, "def become_follower")
    commands = [text for text in printed.splitlines() if text.startswith("::")]
    assert commands[0].startswith("::error file=models/") or commands[0].startswith("::error file=spec/")
    assert any(f"::error file=models/mine.py,line={line},title=epochal%3A mine%3A widened::" in c for c in commands)
    violations = [c for c in commands if "title=epochal%3A mine%3A violated::" in c]
    assert len(violations) == 2
    result = json.loads((repository.path / "report" / "result.json").read_text(encoding="utf-8"))
    source = result["models"][0]["findings"][0]["source"]
    assert violations[0].startswith(f"::error file=models/{source['file']},line={source['line']},")


def test_junitparser_reads_the_junit(violated: tuple[Repository, str]) -> None:
    file = violated[0].path / "report" / "junit" / "epochal" / "mine" / "TEST-mine.xml"
    (suite,) = JUnitXml.fromfile(str(file))
    names = [case.name for case in suite]
    assert len(names) == len(set(names)) == suite.tests == 15
    failed = {case.name.split(": ")[1].split(" (")[0] for case in suite if case.result}
    assert failed == {"weak_isr", "strong_isr", "behaviour is the approved one"}
    assert suite.failures == 3 and suite.errors == suite.skipped == 0
    assert all(isinstance(result, Failure) for case in suite for result in case.result)
    assert any("become" in (case.result[0].text or "") for case in suite if case.result)


def test_the_result_satisfies_its_schema(violated: tuple[Repository, str]) -> None:
    jsonschema.Draft202012Validator.check_schema(gate_schema())
    text = (violated[0].path / "report" / "result.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(gate_schema()).validate(json.loads(text))
    printed = violated[0].epochal("gate", "--schema")
    assert json.loads(printed.stdout) == gate_schema()


def test_the_summary_tells_what_came_and_went(violated: tuple[Repository, str]) -> None:
    text = (violated[0].path / "report" / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("# Epochal: 1 of 1 model fails: mine violated (exit code 12)\n")
    assert "| `BecomeFollower` | widened | 0 | " in text
    assert "```mermaid\nsequenceDiagram" in text
    step = violated[0].path.parents[1] / "step-summary.md"
    assert step.read_text(encoding="utf-8").startswith("# Epochal: 1 of 1 model fails")


def test_the_traces_replay(violated: tuple[Repository, str]) -> None:
    repository = violated[0]
    traces = sorted((repository.path / "report" / "traces").glob("*.itf.json"))
    assert [t.name for t in traces] == [
        "mine-become-follower-new-step.itf.json",
        "mine-strong-isr.itf.json",
        "mine-weak-isr.itf.json",
    ]
    done = repository.epochal("replay", *map(str, traces), "--protocol", "mine.py:Mine")
    assert done.returncode == 0, done.stdout + done.stderr


def model(name: str, *findings: GateFinding) -> ModelOutcome:
    return ModelOutcome(name, "p.py:P", {}, problem=findings[0] if findings else None)


def test_annotations_are_escaped_and_limited() -> None:
    wrong = GateFinding("not loaded", 150, "50% is\nnot all", "", SourceLine("a,b:c.py", 3))
    result = GateResult(tuple(model(f"m{i}", wrong) for i in range(12)), "main", "pr")
    lines = workflow_commands(result, "")
    assert lines[0] == "::error file=a%2Cb%3Ac.py,line=3,title=epochal%3A m0%3A not loaded::50%25 is%0Anot all"
    assert len(lines) == 11 and lines[-1] == "::error::+2 more; see the summary"


def test_what_cannot_be_loaded_is_an_error_and_what_was_not_reached_is_skipped() -> None:
    wrong = GateFinding("not loaded", 150, "syntax error \x00 <&", "", SourceLine("a.py", 3))
    late = GateFinding("inconclusive", 30, "not checked")
    result = GateResult((model("a/b", wrong), model("a b", late)), "main", "pr")
    files = junit_files(result, "2026-01-01T00:00:00+00:00")
    assert sorted(files) == ["epochal/a-b-/TEST-a-b-.xml", "epochal/a-b/TEST-a-b.xml"]
    kinds = []
    for text in files.values():
        ElementTree.fromstring(text)
        (suite,) = JUnitXml.fromstring(text.encode())
        kinds += [type(result) for case in suite for result in case.result]
    assert kinds == [Error, Skipped]
    validate_sarif(sarif_document(result, "", "epochal.toml"))
    assert result.exit_code == 150
    strict = GateResult((model("a b", late),), "main", "pr", fail_on=("inconclusive",))
    (text,) = junit_files(strict, "2026-01-01T00:00:00+00:00").values()
    (suite,) = JUnitXml.fromstring(text.encode())
    assert [type(result) for case in suite for result in case.result] == [Failure]


def test_what_breaks_in_an_inherited_action_is_shown_at_the_model(repository: Repository) -> None:
    """The file of that action is in the installed package, and no line of the repository."""
    repository.write("models/mine.py", KIP_279)
    repository.write("epochal.toml", '[model.mine]\nprotocol = "models/mine.py:Mine"\nbounds = { max-epoch = 1 }\n')
    repository.write("epochal.lock.json", '{"format": "epochal-lock", "version": 1, "models": {}}\n')
    done = repository.epochal("gate", "--out", "the report", GITHUB_ACTIONS="true")
    assert done.returncode == 12
    violated = next(line for line in done.stdout.splitlines() if "violated::" in line)
    line = line_of(KIP_279, "class Mine")
    assert violated.startswith(f"::error file=models/mine.py,line={line},")
    assert re.search(r"holds the leader's records\. \(spec/classic/[a-z_0-9]+\.py:\d+\)$", violated)
    report = repository.path / "the report"
    document = json.loads((report / "sarif.json").read_text(encoding="utf-8"))
    validate_sarif(document)
    place = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "models/mine.py"}, "region": {"startLine": line}}
    result = json.loads((report / "result.json").read_text(encoding="utf-8"))
    assert result["models"][0]["findings"][0]["source"]["file"].startswith("spec/classic/")
    text = (report / "summary.md").read_text(encoding="utf-8")
    command = "epochal replay 'the report/traces/mine-strong-isr.itf.json' --protocol models/mine.py:Mine"
    assert f"`{command}`" in text
