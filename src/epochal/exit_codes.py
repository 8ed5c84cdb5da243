"""The exit codes, each with its name, its meaning and what to do about it: of every command, and of every error.

The meanings never change: scripts and continuous integration read them.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """An exit code: a whole number that knows what it means. `epochal explain` prints this table."""

    title: str
    """A few words, as `epochal explain` and reports say them."""
    meaning: str
    advice: str

    def __new__(cls, code: int, title: str, meaning: str, advice: str) -> ExitCode:
        """The member of this value, with its texts."""
        one = int.__new__(cls, code)
        one._value_ = code
        one.title, one.meaning, one.advice = title, meaning, advice
        return one

    HOLDS = (
        0,
        "holds",
        "Everything that was asked for holds.",
        "It holds within the bounds that the report names, and says nothing about larger ones.",
    )
    INTERNAL_ERROR = (
        1,
        "internal error",
        "Epochal itself failed: a bug in the tool, not in your specification.",
        "Set EPOCHAL_DEBUG=1, repeat the command and report the traceback.",
    )
    USAGE = (
        2,
        "usage",
        "The command line asks for something that does not exist or is not allowed: an option, a property, a bound "
        "out of its range, a file that is not a trace, a trace of a specification that the command line does not name.",
        "The message names the mistake; `epochal COMMAND --help` lists what is possible.",
    )
    ASSUMPTION_FALSE = (
        10,
        "assumption false",
        "An assumption of the specification or of the configuration is false.",
        "Correct the assumption that the message names.",
    )
    DEADLOCK = (
        11,
        "deadlock",
        "A state in which nothing more happens, and where a run should go on; `epochal check --deadlock` asks.",
        "Either a guard is too strong, or a run may end there: then say so by a predicate marked @ends.",
    )
    VIOLATED = (
        12,
        "violated",
        "An invariant or an action property is violated: some run of the protocol breaks it.",
        "Read the counterexample, a shortest one; with `--out FOLDER` it is a page for the browser, too.",
    )
    LIVENESS_VIOLATED = (
        13,
        "liveness violated",
        "What must happen in the end need not: some run that goes on for ever, and is fair to the actions that the "
        "property (@leads_to) names, breaks it.",
        "Read the counterexample: what happens for ever, and what is fair about it. Either something is missing that "
        "heals, or the property has to assume that one more action is taken fairly.",
    )
    DRIFTED = (
        20,
        "drifted",
        "Behaviour differs from what is recorded, and nobody has approved the difference; or generated files, or a "
        "list of accepted survivors, are out of date.",
        "If the difference is meant, bring what the message names up to date and commit it with the change.",
    )
    EXPECTATION_MISSED = (
        21,
        "expected finding is missing",
        "A `reachable` property has no witness in the whole state space, or a violation that is known to exist was "
        "not found; or something happened that is declared not to; or a guard can be taken away and nothing changes, "
        "and no list accepts this survivor.",
        "The bounds may be too small, or a guard too strong: the protocol can no longer do what it should be able to. "
        "Of a surviving mutant, find out why nobody notices, and list it with the reason.",
    )
    VACUOUS = (
        22,
        "vacuous",
        "An action can never happen, or a property is never exercised, so that the verdict means little; or there was "
        "nothing to judge: the protocol has no actions or no properties, or for a proof no invariant.",
        "Enlarge the bounds, or look for a contradiction among the guards of the action that the report names; declare "
        "what is missing with @action or @invariant.",
    )
    REFINEMENT_FAILS = (
        23,
        "refinement fails",
        "The protocol does something that the one it should refine does not allow.",
        "Read the shallowest step that the report names.",
    )
    INCONCLUSIVE = (
        30,
        "inconclusive",
        "The search ended before every state was seen: a budget is spent, or it was interrupted. No violation was "
        "found in what was seen, which may be nothing: a budget counts from the start of the command, and loading and "
        "compiling take their part of it.",
        "Raise --budget, --max-states or --max-memory, or use smaller bounds.",
    )
    SOLVER_UNKNOWN = (
        31,
        "solver unknown",
        "The solver gave up without an answer.",
        "Raise --rlimit, or split the question.",
    )
    NOT_PROVED = (
        32,
        "not proved",
        "A proof by induction fails: from some state that satisfies every lemma a step leads to one that breaks a "
        "lemma, or the lemmas do not imply the property. Nothing is known to be violated: that state need not be "
        "reachable.",
        "Read the counterexample to induction. If its first state is unreachable, add a lemma that excludes it; if "
        "not, `epochal check --lemmas` finds the run.",
    )
    READINGS_DISAGREE = (
        40,
        "the readings disagree",
        "Machine code, Z3 or Spark says something else of a state than the specification read as Python: which action "
        "is enabled, what it leads to, whether a property holds. One of them is wrong, so there is no verdict.",
        "It is a bug in Epochal. Report what the message shows: the rule, the state, both answers and the file with "
        "the run. `epochal check PROTOCOL --engine python` searches with the Python reading alone, which is what the "
        "specification means.",
    )
    EVALUATION_FAILED = (
        75,
        "a rule failed",
        "A rule of the specification could not be evaluated in some reachable state: an index outside a log, a value "
        "outside its domain, none used as a value.",
        "The report names file and line and shows the run that leads there. Guard the rule with `require`, or widen "
        "the domain.",
    )
    STATIC_CHECKS = (
        120,
        "static checks",
        "The specification uses Python outside the language, or fails a static check.",
        "The message names file, line and what to write instead.",
    )
    INTERRUPTED = (
        130,
        "stopped by the user",
        "Ctrl-C was pressed before the search had found its first state, or outside a search. A search that is "
        "interrupted later reports what is known, with code 30.",
        "Run the command again.",
    )
    BROKEN_PIPE = (
        141,
        "nobody reads",
        "Whoever read the output has gone: `epochal list | head -1`.",
        "Nothing is wrong; the rest of the output was not written.",
    )
    NOT_LOADED = (
        150,
        "cannot be loaded",
        "The specification cannot be loaded: no protocol has that name, the file does not exist, has a syntax error or "
        "fails while it is imported or looked at.",
        "The message names the file and line, or the nearest name.",
    )
    BAD_CONFIGURATION = (
        151,
        "bad configuration",
        "A configuration file has an unknown key, or it or an EPOCHAL_* variable has a value that is not allowed.",
        "The message names the file and the nearest known key.",
    )
    ENGINE_FAILURE = (
        153,
        "engine failure",
        "The machine let the engine down: memory ran out, the disk is full, a folder cannot be written, or a part that "
        "the engine needs is missing.",
        "`epochal doctor` says what is missing; the message names the path.",
    )

    @property
    def severity(self) -> int:
        """How severe it is: of several findings the one with the largest severity is the exit code."""
        return _LEAST_SEVERE_FIRST.index(self)

    @classmethod
    def most_severe(cls, codes: Iterable[int]) -> ExitCode:
        """The most severe of some exit codes; HOLDS if there is none."""
        return max(map(cls.of, codes), key=lambda code: code.severity, default=cls.HOLDS)

    @classmethod
    def of(cls, code: int) -> ExitCode:
        """The member of a number. Raises KeyError for one that is no exit code."""
        return {int(one): one for one in cls}[code]


_LEAST_SEVERE_FIRST = (
    ExitCode.HOLDS,
    ExitCode.BROKEN_PIPE,
    ExitCode.INCONCLUSIVE,
    ExitCode.INTERRUPTED,
    ExitCode.VACUOUS,
    ExitCode.EXPECTATION_MISSED,
    ExitCode.SOLVER_UNKNOWN,
    ExitCode.NOT_PROVED,
    ExitCode.REFINEMENT_FAILS,
    ExitCode.DRIFTED,
    ExitCode.ASSUMPTION_FALSE,
    ExitCode.USAGE,
    ExitCode.STATIC_CHECKS,
    ExitCode.BAD_CONFIGURATION,
    ExitCode.NOT_LOADED,
    ExitCode.ENGINE_FAILURE,
    ExitCode.EVALUATION_FAILED,
    ExitCode.DEADLOCK,
    ExitCode.LIVENESS_VIOLATED,
    ExitCode.VIOLATED,
    ExitCode.READINGS_DISAGREE,
    ExitCode.INTERNAL_ERROR,
)
