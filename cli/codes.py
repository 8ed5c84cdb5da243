"""The exit codes, in words. `epochal explain` and the tests read this table; the meanings never change."""

from __future__ import annotations

from dataclasses import dataclass

OK = 0
INTERNAL = 1
USAGE = 2
VIOLATED = 12
OUT_OF_DATE = 20
EXPECTATION_MISSED = 21
VACUOUS = 22
INCONCLUSIVE = 30
SOLVER_UNKNOWN = 31
NOT_PROVED = 32
READINGS_DISAGREE = 40
EVALUATION_FAILED = 75
STATIC_CHECKS = 120
INTERRUPTED = 130
BROKEN_PIPE = 141
NOT_LOADED = 150
BAD_CONFIGURATION = 151
ENGINE_FAILURE = 153


@dataclass(frozen=True)
class ExitCode:
    """One exit code: a short name, what it means, and what to do about it."""

    code: int
    name: str
    meaning: str
    advice: str


EXIT_CODES: tuple[ExitCode, ...] = (
    ExitCode(
        OK,
        "holds",
        "Everything that was asked for holds.",
        "It holds within the bounds that the report names, and says nothing about larger ones.",
    ),
    ExitCode(
        INTERNAL,
        "internal error",
        "Epochal itself failed: a bug in the tool, not in your specification.",
        "Set EPOCHAL_DEBUG=1, repeat the command and report the traceback.",
    ),
    ExitCode(
        USAGE,
        "usage",
        "The command line asks for something that does not exist or is not allowed: an option, a property, a bound "
        "out of its range, a file that is not a trace, a trace of a specification that the command line does not name.",
        "The message names the mistake; `epochal COMMAND --help` lists what is possible.",
    ),
    ExitCode(
        10,
        "assumption false",
        "An assumption of the specification or of the configuration is false.",
        "Correct the assumption that the message names.",
    ),
    ExitCode(
        11,
        "deadlock",
        "A state was reached from which no step is possible, and deadlock checking was asked for.",
        "Read the trace: either a guard is too strong, or the state is a legitimate end.",
    ),
    ExitCode(
        VIOLATED,
        "violated",
        "An invariant or an action property is violated: some run of the protocol breaks it.",
        "Read the counterexample, a shortest one; `epochal trace export FILE --to mermaid` draws it.",
    ),
    ExitCode(
        13,
        "liveness violated",
        "A liveness property is violated: some infinite, fair run never does what was promised.",
        "Read the trace and the loop at its end.",
    ),
    ExitCode(
        OUT_OF_DATE,
        "drifted",
        "Behaviour differs from what is recorded, and nobody has approved the difference; or generated files, or a "
        "list of accepted survivors, are out of date.",
        "If the difference is meant, bring what the message names up to date and commit it with the change.",
    ),
    ExitCode(
        EXPECTATION_MISSED,
        "expected finding is missing",
        "A `reachable` property has no witness in the whole state space, or a violation that is known to exist was "
        "not found; or something happened that is declared not to; or a guard can be taken away and nothing changes, "
        "and no list accepts this survivor.",
        "The bounds may be too small, or a guard too strong: the protocol can no longer do what it should be able to. "
        "Of a surviving mutant, find out why nobody notices, and list it with the reason.",
    ),
    ExitCode(
        VACUOUS,
        "vacuous",
        "An action can never happen, or a property is never exercised, so that the verdict means little; or there was "
        "nothing to judge: the protocol has no actions or no properties, or for a proof no invariant.",
        "Enlarge the bounds, or look for a contradiction among the guards of the action that the report names; declare "
        "what is missing with @action or @invariant.",
    ),
    ExitCode(
        23,
        "refinement fails",
        "The protocol does something that the one it should refine does not allow.",
        "Read the shallowest step that the report names.",
    ),
    ExitCode(
        INCONCLUSIVE,
        "inconclusive",
        "The search ended before every state was seen: a budget is spent, or it was interrupted. No violation was "
        "found in what was seen, which may be nothing: a budget counts from the start of the command, and loading and "
        "compiling take their part of it.",
        "Raise --budget, --max-states or --max-memory, or use smaller bounds.",
    ),
    ExitCode(
        SOLVER_UNKNOWN,
        "solver unknown",
        "The solver gave up without an answer.",
        "Raise --rlimit, or split the question.",
    ),
    ExitCode(
        NOT_PROVED,
        "not proved",
        "A proof by induction fails: from some state that satisfies every lemma a step leads to one that breaks a "
        "lemma, or the lemmas do not imply the property. Nothing is known to be violated: that state need not be "
        "reachable.",
        "Read the counterexample to induction. If its first state is unreachable, add a lemma that excludes it; if "
        "not, `epochal check --lemmas` finds the run.",
    ),
    ExitCode(
        READINGS_DISAGREE,
        "the readings disagree",
        "Machine code, Z3 or Spark says something else of a state than the specification read as Python: which action "
        "is enabled, what it leads to, whether a property holds. One of them is wrong, so there is no verdict.",
        "It is a bug in Epochal. Report what the message shows: the rule, the state, both answers and the file with "
        "the run. `epochal check PROTOCOL --engine python` searches with the Python reading alone, which is what the "
        "specification means.",
    ),
    ExitCode(
        EVALUATION_FAILED,
        "a rule failed",
        "A rule of the specification could not be evaluated in some reachable state: an index outside a log, a value "
        "outside its domain, none used as a value.",
        "The report names file and line and shows the run that leads there. Guard the rule with `require`, or widen "
        "the domain.",
    ),
    ExitCode(
        STATIC_CHECKS,
        "static checks",
        "The specification uses Python outside the language, or fails a static check.",
        "The message names file, line and what to write instead.",
    ),
    ExitCode(
        INTERRUPTED,
        "stopped by the user",
        "Ctrl-C was pressed before the search had found its first state, or outside a search. A search that is "
        "interrupted later reports what is known, with code 30.",
        "Run the command again.",
    ),
    ExitCode(
        NOT_LOADED,
        "cannot be loaded",
        "The specification cannot be loaded: no protocol has that name, the file does not exist, has a syntax error or "
        "fails while it is imported or looked at.",
        "The message names the file and line, or the nearest name.",
    ),
    ExitCode(
        BAD_CONFIGURATION,
        "bad configuration",
        "A configuration file or an EPOCHAL_* variable has an unknown key or a value that is not allowed.",
        "The message names the file and the nearest known key.",
    ),
    ExitCode(
        ENGINE_FAILURE,
        "engine failure",
        "The machine let the engine down: memory ran out, the disk is full, a folder cannot be written, or a part that "
        "the engine needs is missing.",
        "`epochal doctor` says what is missing; the message names the path.",
    ),
)
