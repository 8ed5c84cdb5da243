"""The options of what is asked of a search or of Z3, a group for each command."""

from __future__ import annotations

from pathlib import Path

import click

from .command import OwnOption
from .groups import Output, grouped, packed
from .options import (
    PROGRESS,
    brief_option,
    budget_option,
    cross_check_option,
    engine_option,
    format_option,
    lemmas_option,
    properties_option,
    questions_option,
    search_engine_option,
    symmetry_option,
    workers_option,
)

search_question = grouped(questions_option, lemmas_option, search_engine_option, workers_option, symmetry_option)
"""What `check` judges, and with which engine."""

fairness_options = (
    click.option(
        "--fair",
        "fair",
        multiple=True,
        metavar="ACTION[=strong|=weak]",
        help="Assume that this action is fair, in every liveness property (leads_to): with the strength of its mark, "
        "or weakly. May be repeated.",
    ),
    click.option(
        "--unfair",
        "unfair",
        multiple=True,
        metavar="ACTION",
        help="Do not assume that this action is fair, in any liveness property. May be repeated.",
    ),
)
"""What fairness is assumed besides what promises name."""

liveness_option = click.option(
    "--no-liveness",
    "liveness",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Do not check liveness properties (leads_to). Liveness is checked after a search of every state that uses "
    "neither --symmetry nor --compact, and takes about as long as the search.",
)

wishes_option = click.option(
    "--wishes",
    is_flag=True,
    help="Also check optional liveness properties (wishes): desirable, but not guaranteed by the protocol.",
)

walk_question = grouped(questions_option, engine_option, cross_check_option, budget_option)
"""What `simulate` judges, with which engine, and how long."""

search_answers = grouped(
    click.option("--all-violations", is_flag=True, help="Do not stop at the first violation: explore every state."),
    click.option(
        "--static",
        "static",
        is_flag=True,
        help="Also ask Z3 about all typed states, reachable or not: can an index or a value leave its domain, can an "
        "action be enabled, can a property be false? Without this option Z3 is asked only about actions that the "
        "search never takes.",
    ),
    liveness_option,
    wishes_option,
    *fairness_options,
    click.option(
        "--deadlock",
        is_flag=True,
        help="Report deadlocks. A state is no deadlock if only a bound stops it, or if runs may end there: by @ends, "
        "or without @ends if no liveness property is pending.",
    ),
    cross_check_option,
)
"""How much `check` is to find out."""

promise_question = grouped(
    properties_option,
    engine_option,
    workers_option,
    wishes_option,
    *fairness_options,
    click.option("--needs", is_flag=True, help="For each liveness property, show which fairness assumptions it needs."),
    cross_check_option,
)
"""What `liveness` judges, and under which assumptions."""

lengths_told = packed(
    Output,
    "output",
    format_option,
    brief_option,
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write result.json and the trace of every finding (ITF) to this folder.",
    ),
    click.option(
        "--progress",
        type=click.Choice(PROGRESS),
        default="auto",
        envvar="EPOCHAL_PROGRESS",
        help="Progress on stderr: lines for people (auto, plain), one JSON object a line for each length, or none.",
    ),
)
"""--format, --brief, --out and --progress of `bmc`, whose progress is a line a length."""

bounded_question = grouped(
    click.option(
        "--length",
        type=click.IntRange(min=0),
        required=True,
        metavar="N",
        help="Check runs of at most N steps (N + 1 states).",
    ),
    questions_option,
    click.option(
        "--from",
        "after",
        metavar="TRACE[:INDEX]",
        help="Start from a state of this trace (ITF): after INDEX steps, or its last one.",
    ),
    click.option(
        "--start",
        "start",
        multiple=True,
        metavar="CONDITION",
        help="Start from any typed state, reachable or not, that satisfies this predicate: the id of a state property, "
        "or path/to/file.py:function, written like an invariant. May be repeated; all must hold.",
    ),
    click.option(
        "--all-violations", is_flag=True, help="Do not stop at the first violation: check up to the given length."
    ),
    click.option(
        "--actions",
        is_flag=True,
        help="Also find, for each action, the smallest number of steps after which it is enabled.",
    ),
    click.option(
        "--rlimit",
        type=click.IntRange(min=1, max=2**32 - 1),
        metavar="N",
        help="Z3's resource limit for each query: the same effort on every machine. Default: 1,000 million.",
    ),
    budget_option,
    cross_check_option,
)
"""What `bmc` asks, and where runs begin."""

proof_question = grouped(
    properties_option,
    click.option(
        "--workers",
        type=click.IntRange(min=1, max=255),
        metavar="N",
        envvar="EPOCHAL_WORKERS",
        help="Solve in this many processes. The result does not depend on the number. Default: one for each processor.",
    ),
    click.option(
        "--engine",
        cls=OwnOption,
        type=click.Choice(("local", "spark")),
        default="local",
        help="Solve obligations in processes of this machine (local), or on the executors of a Spark cluster.",
    ),
    click.option("--master", metavar="URL", help="The Spark master, such as local[2] or spark://host:7077."),
    click.option(
        "--no-cache", is_flag=True, help="Solve every obligation again, including those with a cached answer."
    ),
    click.option(
        "--rlimit",
        type=click.IntRange(min=1, max=2**32 - 1),
        metavar="N",
        help="Z3's resource limit for each obligation: the same effort on every machine. Default: 100 million.",
    ),
    budget_option,
    click.option(
        "--max-states",
        cls=OwnOption,
        type=click.IntRange(min=0),
        metavar="N",
        help="Explore this many states to find out whether a counterexample to induction starts in a reachable state; "
        "0: none. Default: 200,000.",
    ),
    click.option(
        "--lemmas",
        cls=OwnOption,
        metavar="FILE|MODULE",
        help="Add the lemmas of a Python file or module to the protocol: functions marked @lemma, (self) -> bool. "
        "FILE:Class takes the methods of a class.",
    ),
    click.option(
        "--houdini",
        "candidates",
        metavar="FILE|MODULE",
        help="Add candidate lemmas like --lemmas, then drop lemmas until the rest is inductive. The report names each "
        "dropped lemma and the action that breaks it.",
    ),
    click.option("--minimize", is_flag=True, help="List the lemmas that the proof does not need."),
    click.option(
        "--unbounded",
        is_flag=True,
        help="Prove for all bounds: any number of replicas, offsets, records and epochs. Within the given bounds the "
        "first-order semantics is compared with Python.",
    ),
    cross_check_option,
)
"""What `prove` proves, from which lemmas, and where."""
