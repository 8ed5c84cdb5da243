"""Every option of a query, declared once, and what every query is about: a protocol within bounds."""

from __future__ import annotations

import operator
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from epochal.checker.gate.configuration import FAIL_ON, PROFILES
from epochal.checker.search.engines import ENGINES, PLACES, SEARCHES
from epochal.errors import UsageError
from epochal.sentences import LONGEST
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import reference_to, without_settings
from epochal.spec.language.errors import shown_path
from epochal.spec.registry import is_registered, registered

if TYPE_CHECKING:
    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.search.result import Progress


# -- names ------------------------------------------------------------------------------------------------------------
# How the protocol of a question is called: by its registered name, or by where its class stands; and its settings.

LOCAL = "<locals>"
"""In the qualified name of a class that a function has made."""


def reference_of(protocol: Protocol) -> str:
    """The name of a protocol as the command line takes it: `kip-320`, `mine.py:Variant`, `kraft --kafka 3.5`.

    Of a class that no name leads to, such as one of a function or a notebook, it is the name it has for people.
    """
    kind = type(protocol)
    return reference_to(name_of(protocol), kind)


def name_of(protocol: Protocol) -> str:
    """The same without its settings: `kip-320`, `mine.py:Variant`, `kraft`."""
    return _name_of(without_settings(type(protocol)))


def can_be_loaded(protocol: Protocol) -> bool:
    """Whether another process would find the same class by the name of this one, and run no script of the user's again.

    A class of the main module it would find by running that script, which asks what this process asks just now.
    """
    if without_settings(type(protocol)).__module__ == "__main__":
        return False
    name = name_of(protocol)
    return is_registered(name) or ".py:" in name


def name_for_people(kind: type[Protocol]) -> None:
    """Let a class have a name: what reports, files and messages call it by.

    One that says no `name` itself gets the one that leads to it, as a class that the command line loads does. Without,
    it would have none, or that of the protocol that it is a variant of.
    """
    own = without_settings(kind)
    before, name = own.name, vars(own).get("name") or _name_of(own)
    for one in (own, kind):
        if one.name == before:
            one.name = name


def _name_of(kind: type[Protocol]) -> str:
    if is_registered(kind.name) and registered(kind.name) is kind:
        return kind.name
    given: str = vars(kind).get("name", "")
    if ".py:" in given:
        return given
    module = sys.modules.get(kind.__module__)
    stands_there = getattr(module, kind.__name__, None) is kind
    file = getattr(module, "__file__", None)
    if file and stands_there:
        return f"{shown_path(file)}:{kind.__name__}"
    if given or not (stands_there or LOCAL in kind.__qualname__):  # made of a class, by a question about it
        return kind.name or kind.__name__
    return kind.__name__


class SearchKeywords(TypedDict, total=False):
    """The keywords of `epochal.Options`."""

    properties: str | Iterable[str] | None
    all_violations: bool
    budget: float | None
    max_states: int | None
    max_memory: int | None
    progress: Callable[[Progress], None] | None
    lemmas: bool
    workers: int | None
    spill: str | Path | None
    compact: bool
    checkpoint: str | Path | None
    checkpoint_on_stop: str | Path | None
    resume: str | Path | None
    symmetry: bool
    dominance: bool
    cross_check: Amount
    liveness: bool
    fair: str | Iterable[str]
    unfair: str | Iterable[str]
    needs: bool
    optional: bool
    deadlock: bool
    begun: float | None


def required(protocol: object, asked: str) -> Protocol:
    """A protocol within bounds, whose class has a name from now on. Raises UsageError for anything else.

    What is given instead is above all a class, without its bounds.
    """
    if isinstance(protocol, Protocol):
        name_for_people(type(protocol))
        return protocol
    shown = f"{protocol.__name__}: write {protocol.__name__}()" if isinstance(protocol, type) else repr(protocol)
    raise UsageError(f"{asked} takes a protocol within bounds, such as epochal.load('kip-320'), not {shown}")


# -- checks -----------------------------------------------------------------------------------------------------------
# What each keyword may be: what means nothing is refused before anything is asked.
#
# A check takes the name of a keyword and what was said, and gives the value that is meant. What Python can read as it
# is meant is taken: an id alone for several, a text for a path, a whole number of any kind (`operator.index`).

Check = Callable[[str, object], Any]
"""Gives the value that is meant. Raises UsageError if nothing is."""

MOST_WORKERS: Final = 255
MOST_RLIMIT: Final = 2**32 - 1
"""Z3 counts its resource units in 32 bits."""


def refused(name: str, meant: str, said: object) -> UsageError:
    """What is said of a keyword that means nothing: `budget is a number of seconds, not '5m'`."""
    shown = repr(said)
    return UsageError(f"{name} {meant}, not {shown if len(shown) <= LONGEST else f'{shown[:LONGEST]}...'}")


@dataclass(frozen=True)
class optional:  # noqa: N801  # it reads as the functions beside it
    """The same, where None is allowed too."""

    check: Check

    def __call__(self, name: str, said: object) -> Any:
        return None if said is None else self.check(name, said)


@dataclass(frozen=True)
class whole:  # noqa: N801
    """A whole number in a range."""

    least: int = 1
    most: int | None = None

    def __call__(self, name: str, said: object) -> int:
        try:
            number = operator.index(said)  # type: ignore[arg-type]  # tried out
        except TypeError:
            raise refused(name, "is a whole number", said) from None
        if isinstance(said, bool):
            raise refused(name, "is a whole number", said)
        if number < self.least:
            raise refused(name, "is more than 0" if self.least == 1 else f"is at least {self.least}", said)
        if self.most is not None and number > self.most:
            raise refused(name, f"is at most {self.most}", said)
        return number


def _real(name: str, meant: str, said: object) -> float:
    """A number that is one: no text, and not NaN."""
    if isinstance(said, bool) or not (hasattr(said, "__float__") or hasattr(said, "__index__")):
        raise refused(name, meant, said)
    try:
        number = float(said)  # type: ignore[arg-type]  # tried out
    except (TypeError, ValueError, OverflowError):
        raise refused(name, meant, said) from None
    if number != number:
        raise refused(name, meant, said)
    return number


def seconds(name: str, said: object) -> float:
    """A time that something may take."""
    number = _real(name, "is a number of seconds", said)
    if number <= 0:
        raise refused(name, "is more than 0", said)
    return number


def moment(name: str, said: object) -> float:
    """A moment of the clock that budgets are counted by."""
    meant = "is a moment of time.monotonic() that has passed"
    number = _real(name, meant, said)
    if number > time.monotonic():
        raise refused(name, meant, said)
    return number


def size(name: str, said: object) -> int:
    """A number of bytes."""
    return whole()(name, said)


@dataclass(frozen=True)
class PathTo:
    """A place in the file system. On the command line it is a file or a folder, and perhaps exists."""

    files: bool = True
    folders: bool = True
    exists: bool = False

    def __call__(self, name: str, said: object) -> Path:
        text = os.fspath(said) if isinstance(said, str | os.PathLike) else None
        if not isinstance(text, str) or not text or "\0" in text:
            raise refused(name, "is a path", said)
        return Path(text)


path: Final = PathTo()
folder: Final = PathTo(files=False)
file: Final = PathTo(folders=False)
existing_file: Final = PathTo(folders=False, exists=True)


def paths(name: str, said: object) -> tuple[Path, ...]:
    """Several places in the file system, perhaps none; one alone needs no list."""
    several = said if isinstance(said, list | tuple) else (said,)
    return tuple(path(name, one) for one in several)


def text(name: str, said: object) -> str:
    """A text that is not empty."""
    if not isinstance(said, str) or not said:
        raise refused(name, "is a text", said)
    return said


def flag(name: str, said: object) -> bool:
    """Yes or no."""
    if not isinstance(said, bool):
        raise refused(name, "is True or False", said)
    return said


def switch(name: str, said: object) -> bool:
    """Yes or no, which a command writes as on or off."""
    return flag(name, said)


def called(name: str, said: object) -> Any:
    """What hears something."""
    if not callable(said):
        raise refused(name, "is a function", said)
    return said


@dataclass(frozen=True)
class one_of:  # noqa: N801
    """One of some words."""

    choices: Sequence[str]

    def __call__(self, name: str, said: object) -> str:
        if not isinstance(said, str) or said not in self.choices:
            raise refused(name, f"is one of {', '.join(self.choices)}", said)
        return said


def ids(name: str, said: object) -> tuple[str, ...]:
    """Several names, perhaps none; one alone needs no list."""
    several = (said,) if isinstance(said, str) else tuple(said) if isinstance(said, Iterable) else None
    if several is None:
        raise refused(name, "is an id or several", said)
    for one in several:
        if not isinstance(one, str):
            raise refused(name, "has ids alone in it", one)
    return several


def some_ids(name: str, said: object) -> tuple[str, ...]:
    """Several names, at least one: who asks about nothing is told nothing."""
    found = ids(name, said)
    if not found:
        raise UsageError(f"{name} names nothing, so that there is nothing to check", f"Leave {name} out to mean all.")
    return found


@dataclass(frozen=True)
class some_of:  # noqa: N801
    """Some of these words, perhaps none."""

    choices: Sequence[str]

    def __call__(self, name: str, said: object) -> tuple[str, ...]:
        return tuple(one_of(self.choices)(name, word) for word in ids(name, said))


def sample(name: str, said: object) -> int | str:
    """How many states are repeated in the Python semantics."""
    if isinstance(said, str) and said in ("some", "all", "off"):
        return said
    try:
        number: int = whole()(name, said)
    except UsageError:
        raise refused(name, "is a number of states, 'some', 'all' or 'off'", said) from None
    return number


def sample_of_typed(name: str, said: object) -> int | str:
    """The same of a question to Z3: of typed states nobody repeats all."""
    found = sample(name, said)
    if found == "all":
        raise UsageError(
            f"{name}='all' is for searches: there are more typed states than anybody can repeat",
            f"Give a number: {name}=500.",
        )
    return found


def bounds(name: str, said: object) -> dict[str, Any]:
    """Bounds by name. The protocol checks their values."""
    if not isinstance(said, Mapping) or not all(isinstance(key, str) for key in said):
        raise refused(name, "is a dict of bounds such as {'replicas': 3}", said)
    return dict(said)


def renaming(name: str, said: object) -> dict[str, str]:
    """Names by names."""
    texts = isinstance(said, Mapping) and all(isinstance(one, str) for pair in said.items() for one in pair)
    if not isinstance(said, Mapping) or not texts:
        raise refused(name, "is a dict from actions of the first to actions of the second", said)
    return dict(said)


def rules(name: str, said: object) -> dict[str, str]:
    """Rules by their names; as texts NAME=VALUE on the command line."""
    if isinstance(said, Mapping):
        found = {str(rule): str(value) for rule, value in said.items()}
    else:
        texts = [one.partition("=") for one in ids(name, said)]
        found = {rule.replace("-", "_"): value if separator else "" for rule, separator, value in texts}
    if not all(found.values()):
        raise refused(name, "names rules with their values, as NAME=VALUE", said)
    return found


def pair(name: str, said: object) -> tuple[str, str]:
    """Two names."""
    found = ids(name, said) if isinstance(said, tuple | list) else ()
    if len(found) != 2:
        raise refused(name, "is how both are called, two texts", said)
    return found[0], found[1]


def anything(_: str, said: object) -> Any:
    """Whatever was said: one of the objects of Epochal, which only Epochal makes."""
    return said


def file_pairs(name: str, said: object) -> tuple[tuple[str, str], ...]:
    """Patterns of topics and files of producers."""
    if isinstance(said, Mapping) and all(isinstance(one, str) and one for pair in said.items() for one in pair):
        return tuple(said.items())
    raise UsageError(f"{name} is a dict from patterns of topics to files, such as {{'orders*': 'app.properties'}}")


def run_named(name: str, said: object) -> str:
    """The place of a search or of tables: a path, or a URI."""
    return said if isinstance(said, str) and "://" in said else str(path(name, said))


# -- options ----------------------------------------------------------------------------------------------------------
# The table of all options. Checks of keywords, options of commands and the page of commands are made of it.


@dataclass(frozen=True)
class Option:
    """A keyword of Python, and with `help` an option of commands, whose `metavar` and `default` are theirs alone.

    A command calls it `flag`, if that is not the name of the keyword; a switch `no-...` turns off what is on. If the
    configuration file has a key of this name, EPOCHAL_... is its variable, but for `own` options, which mean something
    else, and for those without `variable`. `shown` says whether the help tells the default.
    """

    check: Check
    help: str = ""
    flag: str = ""
    metavar: str = ""
    default: Any = None
    shown: bool = True
    required: bool = False
    own: bool = False
    variable: bool = True


LOCAL_ENGINE: Final = Option(
    one_of(("auto", *ENGINES)),
    "native compiles the specification to machine code; python runs it as it is, slowly; auto is native.",
    default="auto",
    shown=False,
)

KEYWORDS: Final[Mapping[str, Option]] = {
    "properties": Option(
        optional(some_ids),
        "Check only this property. May be repeated. 'epochal show PROTOCOL' lists the properties.",
        "property",
        "ID",
    ),
    "lemmas": Option(flag, "Also check the lemmas of the protocol as invariants: a false lemma cannot be proved."),
    "engine": Option(
        one_of(SEARCHES),
        "native compiles the specification to machine code; spark runs that code on a cluster or beyond the memory of "
        "this machine; python runs the specification as it is, slowly; auto is native, and spark where memory ends and "
        "--storage or --master says where to go on.",
        default="auto",
        shown=False,
    ),
    "workers": Option(
        optional(whole(most=MOST_WORKERS)),
        "Use this many processors. The result does not depend on the number. Default: all.",
    ),
    "symmetry": Option(
        flag,
        "Explore one canonical representative of all states that differ only by a permutation of symmetric "
        "identifiers. A specification that distinguishes these identifiers is refused.",
    ),
    "dominance": Option(
        switch,
        "Leave out states that can show no more than others, which differ by smaller budgets only: counters, such as "
        "of crashes, that nothing but guards reads. Verdicts and shortest lengths stay; counts and digests are those "
        "of what was explored, and liveness and deadlock are not checked. Default: off.",
        default=False,
        shown=False,
    ),
    "budget": Option(
        optional(seconds),
        "Stop after this time, such as 30s, 5m or 2h, and report the results so far. The time covers the whole "
        "command: loading, compiling and every search.",
    ),
    "max_states": Option(optional(whole()), "Stop after this many distinct states."),
    "max_memory": Option(optional(size), "Stop when the process holds this much memory, such as 512M or 6G."),
    "compact": Option(
        flag,
        "Keep 64-bit fingerprints of older levels in memory, 10 to 12 bytes a state, and the states in files. The "
        "report gives the probability that a state was missed.",
    ),
    "spill": Option(
        optional(folder),
        "Keep states and their predecessors in memory-mapped files in this folder. The files are removed at the "
        "end. After a search on Spark: the states on which the driver checks liveness.",
    ),
    "checkpoint": Option(
        optional(folder),
        "Write a checkpoint to this folder at the end of a level, at most once a second, and at the end.",
    ),
    "resume": Option(
        optional(path),
        "Continue from the checkpoint in this folder, or from the run in this --storage of Spark; last: the "
        "newest checkpoint, or the run in --storage. Workers, budget and machine may differ; "
        "specification and bounds may not.",
        metavar="DIR|last",
    ),
    "master": Option(
        optional(text),
        "With --engine spark: the Spark master, such as spark://host:7077. Default: the master of spark-submit or "
        "spark-defaults.conf, else local[*].",
        metavar="URL",
    ),
    "all_violations": Option(flag, "Do not stop at the first violation: explore every state."),
    "static": Option(
        flag,
        "Also ask Z3 about all typed states, reachable or not: can an index or a value leave its domain, can an "
        "action be enabled, can a property be false? Without this option Z3 is asked only about actions that the "
        "search never takes.",
    ),
    "liveness": Option(
        flag,
        "Do not check liveness properties (leads_to). Liveness is checked after a search of every state that uses "
        "neither --symmetry nor --compact nor --dominance, and takes about as long as the search.",
        "no-liveness",
    ),
    "optional": Option(flag, "Also check optional liveness properties: desirable, but not guaranteed by the protocol."),
    "fair": Option(
        ids,
        "Assume that this action is fair, in every liveness property (leads_to): with the strength of its mark, "
        "or weakly. May be repeated.",
        metavar="ACTION[=strong|=weak]",
    ),
    "unfair": Option(
        ids, "Do not assume that this action is fair, in any liveness property. May be repeated.", metavar="ACTION"
    ),
    "deadlock": Option(
        flag,
        "Report deadlocks. A state is no deadlock if only a bound stops it, or if runs may end there: by @ends, "
        "or without @ends if no liveness property is pending.",
    ),
    "needs": Option(flag, "For each liveness property, show which fairness assumptions it needs."),
    "cross_check": Option(
        sample,
        "Evaluate this many of the reached states in Python as well, and compare every result of the engine. Default: "
        "at least 8, and more within 2 % of the run's time, at most one second.",
    ),
    "runs": Option(
        optional(whole()),
        "The number of runs. Default: until a million states, 50,000 after a violation, or all states seen.",
    ),
    "depth": Option(whole(), "The largest number of steps of a run.", default=60),
    "seed": Option(whole(0, 2**64 - 1), "The seed. The same seed gives the same runs.", default=0),
    "traces": Option(whole(0), "Write the first N runs to --out.", default=0, shown=False),
    "length": Option(whole(0), "Check runs of at most N steps (N + 1 states).", required=True),
    "after": Option(
        optional(text),
        "Start from a state of this trace (ITF): after INDEX steps, or its last one.",
        "from",
        "TRACE[:INDEX]",
    ),
    "start": Option(
        ids,
        "Start from any typed state, reachable or not, that satisfies this predicate: the id of a state property, "
        "or path/to/file.py:function, written like an invariant. May be repeated; all must hold.",
        metavar="CONDITION",
    ),
    "actions": Option(flag, "Also find, for each action, the smallest number of steps after which it is enabled."),
    "rlimit": Option(optional(whole(most=MOST_RLIMIT)), "Z3's resource limit for each query. Default: 100 million."),
    "candidates": Option(
        optional(text),
        "Add candidate lemmas like --lemmas, then drop lemmas until the rest is inductive. The report names each "
        "dropped lemma and the action that breaks it.",
        "houdini",
        "FILE|MODULE",
    ),
    "minimize": Option(flag, "List the lemmas that the proof does not need."),
    "cached": Option(flag, "Solve every obligation again, including those with a cached answer.", "no-cache"),
    "renamed": Option(
        optional(renaming),
        "Match action OLD of PROTOCOL with action NEW of OTHER. May be repeated. Others are matched by name.",
        "rename",
        "OLD=NEW",
    ),
    "strict": Option(flag, "Exit with code 20 if a reachable step or an initial state differs.", "fail-on-difference"),
    "check_properties": Option(
        flag, "Also search both completely, and list the properties that hold in one of them only."
    ),
    "only": Option(
        optional(text), "Only the mutants whose id contains this text; * matches anything.", metavar="PATTERN"
    ),
    "survivors": Option(
        optional(existing_file),
        "A TOML file with the accepted survivors, each with a reason. Others end with exit code 21, and listed "
        "ones that no longer survive with 20.",
    ),
    "faults": Option(
        ids,
        "Check only this fault. May be repeated: {}; or a budget of your own, such as "
        "crashes=2,lossy_crashes=1,fencings=1.",
        "fault",
        "ID",
    ),
    "varied": Option(
        flag,
        "Vary generation, acks, min.insync.replicas and unclean election, unless they are given. Takes minutes.",
        "matrix",
    ),
    "listed": Option(flag, "List the entries, without a search.", "list"),
    "base": Option(
        optional(text), "Compare with this commit, such as origin/main, instead of the lock file.", metavar="REF"
    ),
    "baseline": Option(optional(file), "The lock file.  [default: epochal.lock.json]"),
    "only_changed": Option(flag, "Skip models whose rules are unchanged."),
    "begun": Option(optional(moment)),
    "progress": Option(optional(called)),
    "preparing": Option(optional(called)),
    "tell": Option(called),
    "checkpoint_on_stop": Option(optional(path)),
    "cluster": Option(anything),
    "reader": Option(anything),
    "protocols": Option(anything),  # classes too: `replay` checks them, and `against`
    "against": Option(anything),
    "witnesses": Option(flag),
    "reference": Option(optional(text)),
    "references": Option(optional(pair)),
    "versions": Option(ids),
    "bounds": Option(optional(bounds)),
    "violated": Option(ids),
}
"""Every keyword, as most queries have it."""

_PLACE: Final = Option(one_of(PLACES), default="local", shown=False, own=True)
_MASTER: Final = Option(optional(text), metavar="URL", variable=False)

_KAFKA_THAT_RUNS: Final[Mapping[str, Option]] = {
    "kafka": Option(
        optional(text),
        "The released Kafka that is run, such as 4.3.1. Its jars are in EPOCHAL_KAFKA_JARS, or in build/kafka.",
        metavar="VERSION",
    ),
    "classpath": Option(
        optional(text), "The Kafka that is run, as a class path; DIR/* are all jars of DIR.", metavar="PATH"
    ),
    "classes": Option(
        paths, "A folder of changed classes, which stands before the others. May be repeated.", metavar="DIR"
    ),
    "fixes": Option(
        ids,
        "Put the smallest fix of this hole into the classes first, such as N1. Needs Javassist, beside the jars. "
        "May be repeated.",
        "fix",
        "HOLE",
    ),
}
_MODEL_BESIDE: Final = Option(
    optional(text), "The release whose rules the specification follows. Default: the same.", metavar="VERSION"
)

OWN: Final[Mapping[str, Mapping[str, Option]]] = {
    "bounded": {
        "all_violations": Option(flag, "Do not stop at the first violation: check up to the given length."),
        "rlimit": replace(
            KEYWORDS["rlimit"],
            help="Z3's resource limit for each query: the same effort on every machine. Default: 1,000 million.",
        ),
        "cross_check": replace(KEYWORDS["cross_check"], check=sample_of_typed),
    },
    "prove": {
        "workers": replace(
            KEYWORDS["workers"],
            help="Solve in this many processes. The result does not depend on the number. Default: one for each "
            "processor.",
        ),
        "engine": replace(
            _PLACE,
            help="Solve obligations in processes of this machine (local), or on the executors of a Spark cluster.",
        ),
        "master": replace(_MASTER, help="The Spark master, such as local[2] or spark://host:7077."),
        "rlimit": replace(
            KEYWORDS["rlimit"],
            help="Z3's resource limit for each obligation: the same effort on every machine. Default: 100 million.",
        ),
        "max_states": Option(
            optional(whole(0)),
            "Explore this many states to find out whether a counterexample to induction starts in a reachable state; "
            "0: none. Default: 200,000.",
            own=True,
        ),
        "lemmas": Option(
            optional(text),
            "Add the lemmas of a Python file or module to the protocol: functions marked @lemma, (self) -> bool. "
            "FILE:Class takes the methods of a class.",
            metavar="FILE|MODULE",
            own=True,
        ),
        "unbounded": Option(
            flag,
            "Prove for all bounds: any number of replicas, offsets, records and epochs. Within the given bounds the "
            "first-order semantics is compared with Python.",
        ),
        "certified": Option(
            flag,
            "With --unbounded: find the few hypotheses and terms from which Z3 answers each question. --out writes "
            "them as a certificate. Beside the protocol's module it makes the next proof a matter of seconds.",
            own=True,
        ),
        "cross_check": replace(KEYWORDS["cross_check"], check=sample_of_typed),
    },
    "simulate": {"engine": LOCAL_ENGINE},
    "gate": {
        "engine": LOCAL_ENGINE,
        "profile": Option(one_of(PROFILES), "Which models to check.", default=PROFILES[0]),
        "fail_on": Option(some_of(FAIL_ON), "Also fail on this result, which is a warning by default."),
    },
    "graph": {
        "limit": Option(
            whole(most=2_000),
            "Refuse graphs of more states. A picture of more than some hundred states is unreadable.",
            default=200,
        )
    },
    "guarantees": {
        "runs": Option(flag),
        "stories": Option(flag, "Show the shortest run of every NO.", "story"),
        "causes": Option(
            flag,
            "Find the causes of every NO: close the known bugs behind it one after the other, and decide it again.",
        ),
        "recovery": Option(
            flag,
            "Show what recovers without an operator after each fault: a leader, writes with acks=all, the full ISR. "
            "For usual settings the answers come with the package; others take a search, 5 to 100 seconds for each "
            "fault.",
        ),
    },
    "export": {
        "to": Option(
            one_of(("parquet",)), "The format: Parquet, for Spark, DuckDB, pandas and polars.", default="parquet"
        ),
        "out": Option(
            run_named,
            "The target, with a folder for each table: a new or empty folder, or a URI that pyarrow.fs knows.",
            metavar="DIR|URI",
            required=True,
        ),
        "questions": Option(ids),
        "progress": Option(optional(called)),
    },
    "sweep": {
        "out": Option(
            run_named,
            "The folder of the answers: a file for each task that is done, and the tables. A URI that pyarrow.fs knows "
            "will do, too.",
            metavar="DIR|URI",
            required=True,
        ),
        "to": Option(
            one_of(("json", "parquet")),
            "The format of the tables: JSON lines, or Parquet, which needs pyarrow.",
            default="json",
        ),
        "engine": replace(
            _PLACE, help="Run tasks in processes of this machine (local), or on the executors of a Spark cluster."
        ),
        "master": replace(_MASTER, help="With --engine spark: the Spark master, such as spark://host:7077."),
    },
    "lockstep_run": {
        **_KAFKA_THAT_RUNS,
        "same": Option(flag, "Kafka is to follow to the end: exit with code 20 if it does not."),
    },
    "lockstep_lines": _KAFKA_THAT_RUNS,
    "lockstep_catalogue": {
        **_KAFKA_THAT_RUNS,
        "traces": Option(
            optional(folder),
            "Read the runs from this folder of counterexamples. Default: search for each.",
            metavar="DIR",
        ),
    },
    "lockstep_runs": {
        **_KAFKA_THAT_RUNS,
        "model": _MODEL_BESIDE,
        "protocol": Option(anything),
        "brokers": Option(whole(2, 4), "The number of brokers, with a replica on each.", default=3),
        "elr": Option(optional(flag)),
        "min_insync_replicas": Option(optional(whole(1, 4)), "min.insync.replicas. Default: 2."),
        "unclean_leader_election": Option(flag, "Turn unclean.leader.election.enable on."),
        "rules": Option(
            rules,
            "Replace this rule of the model, such as known_partition_epoch_ignored=true. May be repeated.",
            "rule",
            "NAME=VALUE",
        ),
        "runs": Option(optional(whole()), "The number of runs. Default: 20, or as many as --budget allows."),
        "steps": Option(whole(), "The largest number of steps of a run.", default=80),
        "guided": Option(flag, "Draw what takes branches of the specification that were taken least."),
        "engine": replace(
            LOCAL_ENGINE,
            help="native compiles the specification to machine code; python runs it as it is; auto is native for many "
            "steps, which are worth compiling it.",
        ),
    },
    "lockstep_coverage": {
        **_KAFKA_THAT_RUNS,
        "model": _MODEL_BESIDE,
        "brokers": Option(whole(2, 4), "The number of brokers in random runs.", default=3),
        "elr": Option(optional(flag)),
        "min_insync_replicas": Option(optional(whole(1, 4)), "min.insync.replicas. Default: 2."),
        "unclean_leader_election": Option(flag, "Turn unclean.leader.election.enable on."),
        "runs": Option(whole(), "The number of random runs.", default=20),
        "steps": Option(whole(), "The largest number of steps of a random run.", default=80),
        "max_states": Option(
            whole(), "How many states a search for runs to missing branches may see.", metavar="N", default=300_000
        ),
    },
    "lockstep_controller_coverage": {
        **_KAFKA_THAT_RUNS,
        "model": _MODEL_BESIDE,
        "brokers": Option(whole(2, 4), "The number of brokers in the larger closures.", default=3),
    },
    "lockstep_controller": {
        **_KAFKA_THAT_RUNS,
        "model": _MODEL_BESIDE,
        "protocol": Option(anything),
        "brokers": Option(whole(1, 5), "The number of brokers.", default=3),
        "replication_factor": Option(
            optional(whole(1, 5)), "The number of replicas at the beginning. Default: one on each broker."
        ),
        "elr": Option(optional(flag)),
        "min_insync_replicas": Option(
            whole(1, 5), "min.insync.replicas; never more than there are replicas.", default=2
        ),
        "unclean_leader_election": Option(flag, "Turn unclean.leader.election.enable on."),
        "reassignments": Option(
            whole(0, 9), "How often the partition is reassigned in a run, or a reassignment cancelled.", default=0
        ),
        "directories": Option(flag, "Log directories may fail, too."),
        "shutdowns": Option(
            flag, "Brokers shut down heartbeat by heartbeat, and another controller may take office meanwhile."
        ),
        "setting_changes": Option(flag, "min.insync.replicas changes, and the level of the ELR feature."),
        "default_minimum": Option(
            flag, "min.insync.replicas is the default of the cluster, and not set for the topic; that changes."
        ),
        "second_partition": Option(
            whole(0, 5), "The number of replicas of another partition of the topic, on the last brokers.", default=0
        ),
        "quorum_controller": Option(
            flag, "Run the whole QuorumController, with its event queue, and not its managers alone. Slower."
        ),
    },
    "audit": {
        "kafka": Option(optional(text), "The release that runs. Default: as the files say.", metavar="VERSION"),
        "producers": Option(
            optional(file_pairs),
            "The topics of a producer's file: 'orders*=app.properties'. May be repeated.",
            "producer",
            "PATTERN=FILE",
        ),
        "policy": Option(optional(path), "The required guarantees, in TOML.", metavar="FILE"),
        "what_if": Option(ids, "Try topic:NAME:SETTING=VALUE, cluster:kafka=4.3. Repeatable.", metavar="CHANGE"),
        "diff": Option(optional(path), "Show the changes since these files.", metavar="OLD"),
        "against": Option(
            optional(path), "Report only what is worse than at this commit, or in this folder.", metavar="COMMIT|OLD"
        ),
        "may": Option(
            ids,
            "Ask what happens: stop:3, stop:any=2, stop:rack=a, power:rack=a, roll. Repeatable.",
            metavar="QUESTION",
        ),
        "bootstrap": Option(
            optional(text), "Ask the brokers at this address; nothing is changed there.", metavar="HOST:PORT"
        ),
        "command_config": Option(
            optional(path), "How to connect, as Kafka's tools take it (sasl.jaas.config, ...).", metavar="FILE"
        ),
        "timeout": Option(seconds, "The time in which brokers must answer.", metavar="TIME", default=60.0),
        "accepting": Option(ids, "Accept a finding; needs --reason.", "accept", "RULE/TOPIC"),
        "reason": Option(optional(text), "The reason for accepting it.", metavar="TEXT"),
        "lock": Option(path, "The file with the accepted findings.", metavar="FILE", default="epochal-audit.lock.json"),
        "searches": Option(flag, "Do not search: leave undecided answers open.", "no-search"),
    },
    "policy": {
        "target": Option(
            one_of(("kubernetes", "opa", "java")),
            "A ValidatingAdmissionPolicy for topics of Strimzi, a policy of OPA or conftest for these and for plans of "
            "Terraform, or a CreateTopicPolicy for controllers.",
            "for",
            required=True,
        ),
        "kafka": Option(text, "The release whose guarantees count, such as 4.3.", metavar="VERSION", required=True),
        "elr": Option(
            switch, "Whether eligible leader replicas are on (`kafka-features describe`).", default=False, shown=False
        ),
        "keep": Option(
            ids,
            "No acknowledged record, and none that was read, is lost by this fault: clean, two-clean, fencing, lossy "
            "(a loss of power), lossy-and-clean, two-lossy or none. May be repeated.",
            metavar="FAULT",
        ),
        "writes_with_down": Option(
            whole(0, 2), "Writes with acks=all succeed while so many brokers are down.", default=0, shown=False
        ),
        "as_shipped": Option(flag, "Ask the release with its known bugs, in place of its design."),
        "undecided": Option(
            one_of(("refuse", "admit")), "What becomes of settings that no search has decided.", default="refuse"
        ),
        "defaults": Option(
            ids,
            "What the brokers have set for topics that do not: min.insync.replicas, default.replication.factor, "
            "unclean.leader.election.enable. May be repeated.",
            "default",
            "NAME=VALUE",
        ),
    },
}
"""The keywords that mean something else in one query, or stand in it alone, by the name of its function."""


def options_of(query: str) -> dict[str, Option]:
    """Every keyword, as it is meant in a query of this name."""
    return {**KEYWORDS, **OWN.get(query, {})}
