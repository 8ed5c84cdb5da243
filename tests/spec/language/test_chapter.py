"""The chapter on the language: every example is read alike in every reading, or refused in the words that it gives."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import LanguageError
from tests.checker.compile.agreement import Agreement
from tests.spec.language.snippets import Load

CHAPTER = Path(__file__).resolve().parents[3] / "docs" / "language.md"
BLOCK = re.compile(r"<!-- (head|read|refused: (?P<words>[^\n]*)) -->\n```python\n(?P<text>.*?)```", re.DOTALL)
BLOCKS = [(found[1], found["words"], found["text"]) for found in BLOCK.finditer(CHAPTER.read_text(encoding="utf-8"))]
HEAD = BLOCKS[0][2]
READ = [text for kind, _, text in BLOCKS if kind == "read"]
REFUSED = [(words, text) for _, words, text in BLOCKS if words]


def example(body: str) -> str:
    """The chapter's protocol with an action."""
    return f'{HEAD}\n    @action\n    def go(self) -> None:\n        """Go."""\n{textwrap.indent(body, " " * 8)}'


def test_every_block_is_an_example() -> None:
    assert BLOCKS[0][0] == "head"
    assert len(BLOCKS) == CHAPTER.read_text(encoding="utf-8").count("```python") == 1 + len(READ) + len(REFUSED)
    assert min(len(READ), len(REFUSED)) >= 7


@pytest.mark.parametrize("body", READ, ids=range(len(READ)))
def test_example_is_read_as_python_reads_it(load: Load, body: str) -> None:
    protocol = load(example(body)).Example
    options = Options(all_violations=True, max_states=4_000)
    native, python = (engine.check(protocol(), options) for engine in (breadth_first, reference_engine))
    assert native.distinct_states > 10
    assert (native.distinct_states, native.state_digest, native.step_digest, native.exit_code) == (
        python.distinct_states,
        python.state_digest,
        python.step_digest,
        python.exit_code,
    )
    if native.error is None:
        readings = Agreement(protocol())
        reached = readings.protocol.initial_states()
        for codes in reached[:1]:
            for _ in range(12):
                steps = readings.compare(codes)
                codes = steps[-1][1]


@pytest.mark.parametrize(("words", "body"), REFUSED, ids=[words for words, _ in REFUSED])
def test_example_is_refused_in_these_words(load: Load, words: str, body: str) -> None:
    module = load(example(body))
    with pytest.raises(LanguageError) as caught:
        compile_protocol(module.Example())
    error = caught.value
    assert words in error.message
    assert error.advice
    assert error.where is not None
    lines = module.path.read_text(encoding="utf-8").splitlines()
    assert lines[error.where.line - 1].strip() in [line.strip() for line in body.splitlines()]
