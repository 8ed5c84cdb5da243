"""JUnit XML: one file a model, one test case a property, and one each for the behaviour and for the actions.

Written to `DIR/MODULE/SUITE/TEST-*.xml`, the layout that Kafka's own CI script reads. No case name occurs twice.
"""

from __future__ import annotations

from xml.etree import ElementTree

from ...trace.text import story
from ..outcome import GateResult, ModelOutcome
from ..verdict import GateFinding
from .sarif import plain

MODULE = "epochal"


def junit_files(result: GateResult, timestamp: str) -> dict[str, str]:
    """The XML of each model by its path below the folder. `timestamp` is the beginning of the run, ISO 8601."""
    found: dict[str, str] = {}
    for model in result.models:
        name = "".join(c if c.isalnum() or c in "-_." else "-" for c in model.name)
        while f"{MODULE}/{name}/TEST-{name}.xml" in found:
            name += "-"
        found[f"{MODULE}/{name}/TEST-{name}.xml"] = _document(model, timestamp, "inconclusive" in result.fail_on)
    return found


def _document(model: ModelOutcome, timestamp: str, strict: bool) -> str:
    cases = _cases(model, strict)
    suites = ElementTree.Element("testsuites")
    counts = {
        "tests": len(cases),
        "failures": sum(case.find("failure") is not None for case in cases),
        "errors": sum(case.find("error") is not None for case in cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        {"name": f"epochal gate: {model.name}", **attributes, "time": f"{model.seconds:.3f}", "timestamp": timestamp},
    )
    suite.extend(cases)
    ElementTree.indent(suites, " ")
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _cases(model: ModelOutcome, strict: bool) -> list[ElementTree.Element]:
    """The cases of a model. The time of the search stands at the first, because it checks all properties at once.

    With `strict` what is inconclusive is a failure; else it is skipped.
    """
    within = ", ".join(f"{name} {value}" for name, value in model.bounds.items()) or "no bounds"
    cases: list[ElementTree.Element] = []

    def case(what: str) -> ElementTree.Element:
        attributes = {
            "classname": f"epochal.{plain(model.name)}",
            "name": plain(f"{model.name}: {what} ({within})"),
            "time": f"{0.0 if cases else model.seconds:.3f}",
        }
        cases.append(ElementTree.Element("testcase", attributes))
        return cases[-1]

    left = list(model.findings)
    for name, one in model.record.properties.items() if model.record is not None else ():
        made = case(name)
        own = [f for f in left if f.about == name and f.code]
        left = [f for f in left if f not in own]
        if own:
            _add(made, own, strict)
        elif one.verdict in ("unknown", "not judged"):
            assert model.record is not None
            ElementTree.SubElement(made, "skipped", {"message": plain(f"not known: {model.record.cut}")})
        elif one.verdict == "not applicable":
            ElementTree.SubElement(made, "skipped", {"message": "does not apply under these bounds and settings"})
    actions = model.record.actions if model.record is not None else {}
    vacuous = [f for f in left if f.kind == "vacuous"]
    if actions:
        _add(case("every action can happen"), vacuous, strict)
        left = [f for f in left if f not in vacuous]
    _add(case("behaviour is the approved one"), left, strict)
    return cases


def _add(case: ElementTree.Element, findings: list[GateFinding], strict: bool) -> None:
    """Put what was found into a case: at most one element, because readers take no more."""
    failing = [finding for finding in findings if finding.code]
    if not failing:
        return
    message = plain("; ".join(finding.message for finding in failing))
    kinds = {finding.kind for finding in failing}
    if kinds == {"inconclusive"} and not strict:
        ElementTree.SubElement(case, "skipped", {"message": message})
        return
    name = "error" if kinds & {"not loaded", "rule failed", "semantics disagree"} else "failure"
    element = ElementTree.SubElement(case, name, {"type": failing[0].kind, "message": message})
    runs = [line for f in failing if f.trace is not None for line in (*story(f.trace), "")]
    element.text = "\n".join(plain(line).rstrip() for line in runs)
