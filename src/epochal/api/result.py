"""What every answer of Epochal can do: print as its report, become data, and end a test that it fails."""

from __future__ import annotations

import functools
import html
import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar, cast

from epochal.checker.described import budget_exceeded, described
from epochal.checker.search.budget import BudgetExceeded
from epochal.checker.trace.trace import Trace
from epochal.errors import EngineError
from epochal.exit_codes import ExitCode
from epochal.former import present_keywords

from .options import options_of

if TYPE_CHECKING:
    from epochal.report.page import Page, Style


MOST = 12
"""How many findings a brief report names."""


class Result(ABC):
    """An answer. `print(result)` is the report of the command line, `to_dict()` what `--format json` prints.

    In a notebook it shows its report, and the story of its counterexample below.
    """

    truth: ClassVar[str] = "exit_code == 0"
    """What to write in place of the answer where Python wants a truth value."""

    @property
    @abstractmethod
    def exit_code(self) -> ExitCode:
        """The documented code of the most severe finding; ExitCode.HOLDS if there is none."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """The answer in one line."""

    @abstractmethod
    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the report for people. `files` are what was written beside it."""

    @abstractmethod
    def to_dict(self) -> Mapping[str, Any]:
        """The answer as plain data: what `--format json` prints. `epochal schema` describes it."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the question, so that this is only what was found until then."""
        return False

    @property
    def findings(self) -> list[str]:
        """What is violated, or differs, or fails: a few words each."""
        return []

    def render_briefly(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write three lines: the verdict, what is violated, and where the rest is."""
        tone: Style = "good" if self.exit_code == ExitCode.HOLDS else "bad"
        page.line(self.headline, tone)
        found = self.findings
        if found:
            more = f", and {len(found) - MOST} more" if len(found) > MOST else ""
            page.line(f"{', '.join(found[:MOST])}{more}", indent=2)
        where = f"written: {', '.join(files)}" if files else "the whole report: the same without --brief"
        page.verbatim(f"exit code {self.exit_code} ({self.outcome}); {where}")

    @property
    def outcome(self) -> str:
        """What the exit code means for this question, in a word or two."""
        return self.exit_code.title

    @property
    def counterexample(self) -> Trace | None:
        """The run that shows the first finding; None without any."""
        return None

    def raise_for_violation(self) -> None:
        """Raise AssertionError, with the story of the run, unless all that was asked for holds."""
        __tracebackhide__ = True  # pytest then shows the line of the test
        if self.exit_code != ExitCode.HOLDS:
            run = self.counterexample
            raise AssertionError(str(self) if run is None else f"{self.headline}\n{run}")

    def __bool__(self) -> bool:
        """No answer is true or false by itself. Raises TypeError, which says what to write."""
        raise TypeError(
            f"a {type(self).__name__} is neither true nor false: write result.{self.truth}, "
            "or result.raise_for_violation(), which fails with the story"
        )

    def __repr__(self) -> str:
        """The answer in a line."""
        return f"<{type(self).__name__}: {self.headline}>"

    def __str__(self) -> str:
        """The report."""
        from epochal.report.page import PlainPage

        text = io.StringIO()
        self.render(PlainPage(text))
        return text.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        """The report for a notebook, and the page of the run, if there is one."""
        run = self.counterexample
        return f"<pre>{html.escape(str(self))}</pre>{'' if run is None else run._repr_html_()}"

    def _repr_markdown_(self) -> str:
        """The report and, if there is one, the run with its sequence diagram."""
        from epochal.checker.trace.text import markdown

        run = self.counterexample
        report = f"```text\n{self}\n```\n"
        return report if run is None else f"{report}\n{markdown(run, '')}"


class WrittenResult(Result):
    """An answer that is there to be written: it says of itself that it was, and nothing of properties."""

    @property
    def exit_code(self) -> ExitCode:
        """0: it is there."""
        return ExitCode.HOLDS

    @property
    def outcome(self) -> str:
        """Code 0 does not say that properties hold."""
        return "written"


# -- question ---------------------------------------------------------------------------------------------------------
# What every question of the front door has in common: checked keywords, and ends that Python expects.
#
# Ctrl-C ends a program, so it is raised, after a search has kept its checkpoint. A budget that is spent before there is
# anything to report, and a disk that is full, are errors of Epochal; a spent budget elsewhere is a result that says so.

Given = ParamSpec("Given")
Answer = TypeVar("Answer", bound=Result)


class Interrupted(KeyboardInterrupt):
    """Somebody pressed Ctrl-C during a question. `result` is what was found until then."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.headline)
        self.result = result


def question(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Make a function a question of the front door, whose keywords are checked.

    The function raises UsageError for an invalid argument, Interrupted after Ctrl-C, Inconclusive if a budget is spent
    before there is an answer, and EngineError for an error of the operating system.
    """
    known = options_of(function.__name__)

    @functools.wraps(function)
    def asked(*args: Given.args, **given: Given.kwargs) -> Answer:
        __tracebackhide__ = True  # pytest then shows the line of the test
        present_keywords(given)
        for name, said in given.items():
            if name in known:  # Python refuses the others
                given[name] = known[name].check(name, said)
        try:
            answer = function(*args, **given)
        except BudgetExceeded as spent:
            raise budget_exceeded(spent) from spent
        except BrokenPipeError:  # nobody listens to the progress
            raise
        except OSError as error:
            code, message = described(error)
            raise EngineError(message, exit_code=code) from error
        if answer.interrupted:
            raise Interrupted(answer)
        return answer

    return asked


def partial_result(function: Callable[Given, Answer], *args: Given.args, **given: Given.kwargs) -> Answer:
    """Run a query for the command line. After Ctrl-C, return the partial result."""
    try:
        return function(*args, **given)
    except Interrupted as stopped:
        return cast(Answer, stopped.result)
