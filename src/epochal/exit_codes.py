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
        "Everything that was checked holds.",
        "The result is for the bounds in the report, not for larger ones.",
    )
    INTERNAL_ERROR = (
        1,
        "internal error",
        "Epochal itself failed. The bug is in the tool, not in your specification.",
        "Set EPOCHAL_DEBUG=1, repeat the command and report the traceback.",
    )
    USAGE = (
        2,
        "usage",
        "The command line names something that does not exist or is not allowed: an option, a property, a bound out of "
        "its range, a file that is not a trace, a trace of a specification that the command line does not name.",
        "The message names the mistake; `epochal COMMAND --help` lists the options.",
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
        "A reachable state without a next step, where runs may not end (`epochal check --deadlock`).",
        "Either a guard is too strong, or runs may end there: declare such states by a predicate marked @ends.",
    )
    VIOLATED = (
        12,
        "violated",
        "An invariant or an action property is violated: some run of the protocol breaks it.",
        "Read the counterexample, which is a shortest one. `--out FOLDER` also writes it as a page for the browser.",
    )
    LIVENESS_VIOLATED = (
        13,
        "liveness violated",
        "A liveness property (@leads_to) is violated: an infinite run that respects the assumed fairness breaks it.",
        "Read the counterexample: its cycle, and why the cycle is fair. Either the protocol lacks a step that ends the "
        "cycle, or the property needs one more fairness assumption.",
    )
    DRIFTED = (
        20,
        "drifted",
        "Behaviour differs from the recorded behaviour, and the difference is not approved; or generated files, or a "
        "list of accepted survivors, are out of date.",
        "If the difference is intended, update the files that the message names, and commit them with the change.",
    )
    EXPECTATION_MISSED = (
        21,
        "expected finding is missing",
        "A `reachable` property has no witness in the whole state space; or a known violation was not found; or an "
        "action that is declared impossible was taken; or removing a guard changes nothing, and no list "
        "accepts this survivor.",
        "The bounds may be too small, or a guard too strong: the protocol can no longer do what it should be able to. "
        "For a surviving mutant, find out why no property notices, and list it with the reason.",
    )
    VACUOUS = (
        22,
        "vacuous",
        "An action is never enabled, or a property is vacuous, so the verdict means little; or there was nothing to "
        "check: the protocol has no actions or no properties, or for a proof no invariant.",
        "Enlarge the bounds, or look for a contradiction among the guards of the action in the report. Declare missing "
        "actions and properties with @action and @invariant.",
    )
    REFINEMENT_FAILS = (
        23,
        "refinement fails",
        "The protocol takes a step that the protocol it should refine does not allow.",
        "Read the shallowest such step in the report.",
    )
    INCONCLUSIVE = (
        30,
        "inconclusive",
        "The search stopped before it had explored every state: a budget is spent, or the search was interrupted. The "
        "explored states, perhaps none, contain no violation. The budget includes loading and compiling.",
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
        "A proof by induction fails: a step from a state that satisfies every lemma breaks a lemma, or the lemmas do "
        "not imply the property. This is no violation: the state need not be reachable.",
        "Read the counterexample to induction. If its first state is unreachable, add a lemma that excludes it. If it "
        "is reachable, `epochal check --lemmas` finds the run.",
    )
    READINGS_DISAGREE = (
        40,
        "the semantics disagree",
        "Machine code, Z3 or Spark disagrees with Python about a state: which actions are enabled, which states "
        "follow, or whether a property holds. One of them is wrong, so there is no verdict.",
        "This is a bug in Epochal. Report the rule, the state, both answers and the file with the run, as in the "
        "message. `epochal check PROTOCOL --engine python` searches with the Python semantics alone, which define the "
        "meaning of a specification.",
    )
    EVALUATION_FAILED = (
        75,
        "a rule failed",
        "A rule of the specification could not be evaluated in some reachable state: an index outside a log, a value "
        "outside its domain, none used as a value.",
        "The report names file and line, and shows the run to that state. Guard the rule with `require`, or widen the "
        "domain.",
    )
    STATIC_CHECKS = (
        120,
        "static checks",
        "The specification uses Python constructs outside the language, or fails a static check.",
        "The message names file and line, and the construct to use instead.",
    )
    INTERRUPTED = (
        130,
        "stopped by the user",
        "Ctrl-C was pressed outside a search, or before the search had found its first state. A search that is "
        "interrupted later reports its results so far, with code 30.",
        "Run the command again.",
    )
    BROKEN_PIPE = (
        141,
        "broken pipe",
        "The reader of the output has ended, as in `epochal list | head -1`.",
        "Nothing is wrong. The rest of the output was not written.",
    )
    NOT_LOADED = (
        150,
        "cannot be loaded",
        "The specification cannot be loaded: no protocol has that name, or the file does not exist, has a syntax "
        "error, or fails during import or inspection.",
        "The message names the file and line, or the nearest name.",
    )
    BAD_CONFIGURATION = (
        151,
        "bad configuration",
        "A configuration file has an unknown key, or a file or an EPOCHAL_* variable has an invalid value.",
        "The message names the file and the nearest known key.",
    )
    ENGINE_FAILURE = (
        153,
        "engine failure",
        "The engine failed for lack of a resource: memory ran out, the disk is full, a folder is not writable, or a "
        "required package is missing.",
        "The message names the path; `epochal doctor` lists missing requirements.",
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
