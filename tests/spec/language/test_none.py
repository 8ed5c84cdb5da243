"""None where a value is needed: evaluation fails, also where the result would lie in its domain, in every reading."""

from __future__ import annotations

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.spec.language import EvaluationError
from tests.spec.language.snippets import Load
from tests.spec.language.test_traps import agree, rules

GIVE = "@action\ndef give(self, v: Small) -> None:\n    self.maybe = v\n"
USED = {
    "self.n = self.maybe + 1": "unsupported operand type(s) for +: 'NoneType' and 'int'",
    "self.n = 1 + self.maybe": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.n += self.maybe": "unsupported operand type(s) for +=: 'int' and 'NoneType'",
    "self.n = self.maybe - v + 3": "unsupported operand type(s) for -: 'NoneType' and 'int'",
    "self.n = 1 - self.maybe": "unsupported operand type(s) for -: 'int' and 'NoneType'",
    "self.n = self.maybe * 2 + 2": "unsupported operand type(s) for *: 'NoneType' and 'int'",
    "self.n = self.maybe // 2 + 1": "unsupported operand type(s) for //: 'NoneType' and 'int'",
    "self.n = self.maybe % 2": "unsupported operand type(s) for %: 'NoneType' and 'int'",
    "self.n = -self.maybe": "bad operand type for unary -: 'NoneType'",
    "self.n = abs(self.maybe)": "bad operand type for abs(): 'NoneType'",
    "self.n = max(self.maybe, 1)": "'>' not supported between instances of 'int' and 'NoneType'",
    "self.n = min(self.maybe, 1) + 1": "'<' not supported between instances of 'int' and 'NoneType'",
    "self.n = max([1, self.maybe])": "'>' not supported between instances of 'NoneType' and 'int'",
    "self.n = sum([self.maybe]) + 1": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.n = sum(x for x in (2, self.maybe))": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.n = 1 + (self.maybe if v < 4 else 1)": "unsupported operand type(s) for +: 'int' and 'NoneType'",
    "self.flag = self.maybe < 2": "'<' not supported between instances of 'NoneType' and 'int'",
    "self.flag = self.maybe <= 2": "'<=' not supported between instances of 'NoneType' and 'int'",
    "self.flag = 2 > self.maybe": "'>' not supported between instances of 'int' and 'NoneType'",
    "self.flag = self.maybe >= v": "'>=' not supported between instances of 'NoneType' and 'int'",
    "self.flag = -2 < self.maybe < 2": "'<' not supported between instances of 'int' and 'NoneType'",
    "self.flag = self.maybe - 1 in self.numbers": "unsupported operand type(s) for -: 'NoneType' and 'int'",
    "require(self.maybe < 3)": "'<' not supported between instances of 'NoneType' and 'int'",
    "self.n = len(range(self.maybe))": "'NoneType' object cannot be interpreted as an integer",
    "self.log = [i for i in range(self.maybe, 1)]": "'NoneType' object cannot be interpreted as an integer",
    "self.n = self.log[self.maybe + 1] if v > 3 else self.log[self.maybe]": "None is not an offset",
    "self.log.truncate(self.maybe + 1)": "unsupported operand type(s) for +: 'NoneType' and 'int'",
    "self.n = self.maybe": "n: None is outside 0..3",
}


@pytest.mark.parametrize("body", USED)
def test_none_used_as_a_value_fails(load: Load, body: str) -> None:
    specification = load(rules(body, GIVE)).Spec()
    native = NativeBackend(specification)
    (nothing,) = specification.initial_states()
    raised = []
    for reading in (specification, native):
        with pytest.raises(EvaluationError) as caught:
            list(reading.successors(nothing))
        raised.append((caught.value.message, caught.value.where))
    assert raised[0] == raised[1]
    assert USED[body] in raised[0][0]


@pytest.mark.parametrize("body", USED)
def test_a_value_that_may_be_none_is_used_where_it_is_there(load: Load, body: str) -> None:
    """The same steps, or the same failure for another reason."""
    specification = load(rules(body, GIVE)).Spec()
    native = NativeBackend(specification)
    (nothing,) = specification.initial_states()
    given = [after for made, after in specification.outcomes(nothing) if made.action.name == "give"]
    assert len(given) == 4
    for codes in given:
        assert isinstance(codes, tuple)
        python = list(specification.outcomes(codes))
        if all(isinstance(after, tuple) for _, after in python):
            assert native.successors(codes) == python
        else:
            with pytest.raises(EvaluationError):
                native.successors(codes)


GUARDED = "require(self.maybe is not None and self.maybe > 0 or v > 0 and on)\nself.n = self.maybe or v"


def test_none_that_is_asked_for_first_does_not_fail(load: Load) -> None:
    assert agree(load(rules(GUARDED, GIVE)).Spec) == 22
