"""A proof may have more lemmas than machine code evaluates together; a search compiles those that it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.native.program.program import PROPERTY_LIMIT
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.spec.language import LanguageError, Protocol
from tests.zoo.rows import source

COUNTER = source(
    """
    Counter: A counter that goes up by two.
        bounds: Bounds
        count: Annotated[int, Integers(0, 122)]
        action up: Two more.
            require(self.count < 120)
            self.count += 2
        invariant never_odd: The count is even.
            return self.count % 2 == 0
    """
)

LEMMA = '''
    @lemma
    def never_{number}(self) -> bool:
        """Not {number}."""
        return self.count != {number}
'''

ODD = range(1, 123, 2)


@pytest.fixture
def counter(tmp_path: Path) -> Any:
    """The counter with a lemma for each odd number but one, by that number."""

    def made(without: int = 0) -> Protocol:
        file = tmp_path / f"counter{without}.py"
        lemmas = [LEMMA.format(number=number) for number in ODD if number != without]
        file.write_text(COUNTER + "".join(lemmas), encoding="utf-8")
        return epochal.load(f"{file}:Counter")

    return made


def test_a_proof_from_many_lemmas(counter: Any) -> None:
    """Proved; and without one of them a counterexample replays and its first state is looked for."""
    assert len(ODD) > PROPERTY_LIMIT
    assert epochal.prove(counter(), workers=1).exit_code == 0
    lacking = epochal.prove(counter(without=7), workers=1)
    assert lacking.exit_code == 32
    assert lacking.counterexample is not None and "not reachable" in lacking.counterexample.note
    assert "nearest differs in 1 value: count is " in lacking.counterexample.note
    assert lacking.replayed.readings == ("python", "native")


@pytest.mark.parametrize("check", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_a_search_compiles_the_lemmas_that_it_is_asked_for(check: Any, counter: Any) -> None:
    """All together are too many for machine code, and the message says what to do."""
    protocol = counter()
    result = check(protocol, Options(properties=("never_3", "never_odd"), lemmas=True))
    assert {one.member.name: one.verdict for one in result.properties} == {"never_odd": "holds", "never_3": "holds"}
    assert result.warnings == ()
    if check is breadth_first.check:
        with pytest.raises(LanguageError, match="62 properties; at most 46") as refused:
            check(protocol, Options(lemmas=True))
        assert "Ask for some of them" in str(refused.value.advice)
