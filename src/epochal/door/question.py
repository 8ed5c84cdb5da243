"""What every question of the front door has in common: checked keywords, and ends that Python expects.

Ctrl-C ends a program, so it is raised, after a search has kept its checkpoint. A budget that is spent before there is
anything to report, and a disk that is full, are errors of Epochal; a spent budget elsewhere is a result that says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from epochal.checker.described import described, out_of_patience
from epochal.checker.search.patience import OutOfPatience
from epochal.door.keywords import KEYWORDS, Check
from epochal.door.result import Result
from epochal.errors import EngineError

Given = ParamSpec("Given")
Answer = TypeVar("Answer", bound=Result)


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C during a question. `result` is what was found until then."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.headline)
        self.result = result


def question(**own: Check) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Make a function a question of the front door. `own` are keywords that mean something else in it.

    The function raises UsageError for an invalid argument, Interrupted after Ctrl-C, Inconclusive if a budget is spent
    before there is an answer, and EngineError for an error of the operating system.
    """
    known = {**KEYWORDS, **own}

    def decorated(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        @functools.wraps(function)
        def asked(*args: Given.args, **given: Given.kwargs) -> Answer:
            __tracebackhide__ = True  # pytest then shows the line of the test
            for name, said in given.items():
                if name in known:  # Python refuses the others
                    given[name] = known[name](name, said)
            try:
                answer = function(*args, **given)
            except OutOfPatience as spent:
                raise out_of_patience(spent) from spent
            except BrokenPipeError:  # nobody listens to the progress
                raise
            except OSError as error:
                code, message = described(error)
                raise EngineError(message, exit_code=code) from error
            if answer.interrupted:
                raise Interrupted(answer)
            return answer

        return asked

    return decorated


def as_far_as_it_came(function: Callable[Given, Answer], *args: Given.args, **given: Given.kwargs) -> Answer:
    """Run a query for the command line. After Ctrl-C, return the partial result."""
    try:
        return function(*args, **given)
    except Interrupted as stopped:
        return cast(Answer, stopped.result)
