"""Texts that try to be more than text, in a specification and in facts of a trace: every export shows them as text."""

from __future__ import annotations

import html
import io
import re
import time
from dataclasses import replace

import networkx
import pytest
from markdown_it import MarkdownIt

import epochal
from epochal.checker.trace.export.dot import LONGEST
from epochal.checker.trace.export.formats import FORMATS, exported
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Trace
from tests.report.hostile import SCRIPT, Hostile

NASTY = 'x\x1b[2J\n</title><script>alert(1)</script>\n|h1. {noformat}\n@enduml\n%%{init}%%; end\n```\n"];\\'
"""A name that a file may claim for its protocol."""


@pytest.fixture(scope="module")
def trace() -> Trace:
    """A run of a specification all of whose texts are hostile."""
    found = epochal.check(Hostile(), engine="python").counterexample
    assert found is not None
    return found


@pytest.fixture(scope="module")
def claimed(trace: Trace) -> Trace:
    """The same of a protocol with a hostile name."""
    return replace(trace, facts={"protocol": NASTY}, note=NASTY)


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_obeyed_by_a_terminal(name: str, claimed: Trace) -> None:
    text = exported(claimed, name)
    assert [c for c in text if not c.isprintable() and c != "\n"] == []


def test_html_has_no_element_of_theirs(claimed: Trace) -> None:
    """Their texts may stand in the page, and none of them opens a tag."""
    text = exported(claimed, "html")
    assert len(re.findall(r"<script\b", text)) == 1  # its own
    assert not re.search(r"<img|onerror=(?!&)\"", text)
    assert html.escape(SCRIPT.split(">")[0]) in text


def test_markdown_has_no_element_of_theirs(claimed: Trace) -> None:
    drawn = MarkdownIt("commonmark", {"html": True}).enable("table").render(exported(claimed, "markdown"))
    assert not re.search(r"<(script|img|title)\b", drawn)


@pytest.mark.parametrize("name", ["mermaid", "sequencediagram"])
def test_a_line_of_a_diagram_stays_a_line(name: str, trace: Trace, claimed: Trace) -> None:
    """As many lines as with an honest name, and each of a kind that was there before."""
    honest, hostile = exported(trace, name).splitlines(), exported(claimed, name).splitlines()
    kinds = {line.split()[0] for line in honest if line.split()}
    assert len(hostile) == len(honest)
    assert {line.split()[0] for line in hostile if line.split()} <= kinds


def test_mermaid_reads_no_tag(claimed: Trace) -> None:
    assert not re.search(r"<(script|img|/title)", exported(claimed, "mermaid"))


def test_plantuml_ends_once_and_reads_no_tag(claimed: Trace) -> None:
    lines = exported(claimed, "plantuml").splitlines()
    assert [at for at, line in enumerate(lines) if line.startswith("@")] == [0, len(lines) - 1]
    assert not any(re.search(r"<(?!U\+)", line) for line in lines)


def test_jira_closes_its_box_once(claimed: Trace) -> None:
    text = exported(claimed, "jira")
    assert text.count("{noformat}") == 1 and text.endswith("{noformat}\n")
    before = text[: text.index("{noformat:title")]
    assert not re.search(r"(?<!\\)[{}]", before)
    assert [line for line in before.splitlines() if re.match(r"h\d\.", line)] == [before.splitlines()[0]]


def test_dot_and_graphml_are_read_whole(claimed: Trace) -> None:
    quoted = re.sub(r'"(?:[^"\\]|\\.)*"', '""', exported(claimed, "dot"))
    assert "script" not in quoted and quoted.count("{") == quoted.count("}")
    read = networkx.read_graphml(io.BytesIO(epochal.graph(Hostile()).to_graphml().encode()))
    assert any(SCRIPT in told for _, told in read.nodes(data="told"))


def test_a_story_is_printable(claimed: Trace) -> None:
    assert all(line.isprintable() for line in story(claimed))


@pytest.mark.parametrize("name", FORMATS)
def test_ten_megabytes_are_no_obstacle(name: str, trace: Trace) -> None:
    """Of a name that nobody can want; a picture shows the beginning of it."""
    began = time.process_time()
    text = exported(replace(trace, facts={"protocol": ("a b" * 300 + "<") * 11_000}), name)
    assert time.process_time() - began < 10
    assert "a b" in text
    assert name != "dot" or len(text) < 100 * LONGEST
