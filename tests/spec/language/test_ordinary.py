"""Ordinary Python in rules: some 250 small programs, read alike in every reading, or refused with what to write."""

from __future__ import annotations

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.spec.language import LanguageError
from tests.checker.compile.agreement import Agreement
from tests.spec.language.ordinary import programs
from tests.spec.language.snippets import Load
from tests.spec.language.test_traps import agree, rules

PROGRAMS = programs()
VARY = """\
@action
def vary(self, v: Small, on: bool) -> None:
    self.n = v
    self.flag = on
    self.maybe = None if on else v
    self.color = Color.BLUE if on else Color.RED
    self.log = [3 - v] if on else [v, 1]
    self.point.x = v
    self.node = self.member(Node, 1) if v > 1 else self.member(Node, 0)
    self.points = [Point(x=v, on=on), self.point]
"""


def test_at_most_one_in_eight_is_refused() -> None:
    refused = [name for name, _, words in PROGRAMS if words]
    assert len(PROGRAMS) >= 208
    assert 8 * len(refused) <= len(PROGRAMS)


@pytest.mark.parametrize(("body", "words"), [(b, w) for _, b, w in PROGRAMS], ids=[name for name, _, _ in PROGRAMS])
def test_ordinary_program(load: Load, body: str, words: str) -> None:
    module = load(rules(body, VARY))
    if words:
        with pytest.raises(LanguageError) as caught:
            compile_protocol(module.Spec())
        assert words in caught.value.message
        assert caught.value.advice
        assert caught.value.where is not None
        assert caught.value.where.file.endswith(module.path.name)
        return
    agree(module.Spec)
    readings = Agreement(module.Spec())
    codes = readings.protocol.initial_states()[0]
    for _ in range(6):
        codes = readings.compare(codes)[-1][1]
