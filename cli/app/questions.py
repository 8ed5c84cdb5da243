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
        help="Assume in every promise (leads_to) that this action is taken fairly, as strongly as its mark says, else "
        "weakly; may be repeated.",
    ),
    click.option(
        "--unfair",
        "unfair",
        multiple=True,
        metavar="ACTION",
        help="Assume in no promise that this action is taken fairly; may be repeated.",
    ),
)
"""What fairness is assumed besides what promises name."""

liveness_option = click.option(
    "--no-liveness",
    "liveness",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Do not judge what must happen in the end (leads_to). It is judged after a search of every state, without "
    "--symmetry and --compact, and takes about as long as that.",
)

wishes_option = click.option(
    "--wishes",
    is_flag=True,
    help="Judge wishes, too: what users hope will happen in the end, which nobody promises under all circumstances.",
)

walk_question = grouped(questions_option, engine_option, cross_check_option, budget_option)
"""What `simulate` judges, with which engine, and how long."""

search_answers = grouped(
    click.option(
        "--all-violations", is_flag=True, help="Go on after the first violation, until every state is explored."
    ),
    click.option(
        "--static",
        "static",
        is_flag=True,
        help="Ask Z3, too, what holds of any typed state: whether an index or a value can leave its domain, an action "
        "can happen at all, a property can be false. Without it Z3 is asked only about actions that the search "
        "never takes.",
    ),
    liveness_option,
    wishes_option,
    *fairness_options,
    click.option(
        "--deadlock",
        is_flag=True,
        help="Report states where nothing more happens, unless a bound alone makes them, or a run may end there: where "
        "the protocol says so (@ends), else where no promise waits.",
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
    click.option("--needs", is_flag=True, help="Say of each promise which of its assumptions of fairness it takes."),
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
        help="On stderr: a line for each length that takes long, and one now and then meanwhile (auto, plain), or one "
        "JSON object a line for every length, or nothing.",
    ),
)
"""--format, --brief, --out and --progress of `bmc`, whose progress is a line a length."""

bounded_question = grouped(
    click.option(
        "--length",
        type=click.IntRange(min=0),
        required=True,
        metavar="N",
        help="Look at runs of at most N steps, which have N + 1 states.",
    ),
    questions_option,
    click.option(
        "--from",
        "after",
        metavar="TRACE[:INDEX]",
        help="Begin where this trace (ITF) is after INDEX steps, or at its end, instead of in the initial states.",
    ),
    click.option(
        "--start",
        "start",
        multiple=True,
        metavar="CONDITION",
        help="Begin in any typed state where this holds: a property of single states by its id, or "
        "path/to/file.py:function, written like an invariant. May be repeated; all must hold. The state need not be "
        "reachable.",
    ),
    click.option("--all-violations", is_flag=True, help="Go on after the first violation, to the length asked for."),
    click.option(
        "--actions", is_flag=True, help="Ask for each action, too, after how many steps it can first be taken."
    ),
    click.option(
        "--rlimit",
        type=click.IntRange(min=1, max=2**32 - 1),
        metavar="N",
        help="Z3's resource units for each question: the same effort on every machine. Default: 1,000 million.",
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
        help="Solve in this many processes; the result is the same for any number. Default: one for each processor.",
    ),
    click.option(
        "--engine",
        cls=OwnOption,
        type=click.Choice(("local", "spark")),
        default="local",
        help="Where obligations are solved: in processes of this machine, or on the executors of a Spark cluster.",
    ),
    click.option("--master", metavar="URL", help="The Spark master, such as local[2] or spark://host:7077."),
    click.option("--no-cache", is_flag=True, help="Solve every obligation, also those that were solved before."),
    click.option(
        "--rlimit",
        type=click.IntRange(min=1, max=2**32 - 1),
        metavar="N",
        help="Z3's resource units for each obligation: the same effort on every machine. Default: 100 million.",
    ),
    budget_option,
    click.option(
        "--max-states",
        cls=OwnOption,
        type=click.IntRange(min=0),
        metavar="N",
        help="Search so many states for the first states of counterexamples to induction; 0 for none. Default: "
        "200,000.",
    ),
    click.option(
        "--lemmas",
        cls=OwnOption,
        metavar="FILE|MODULE",
        help="Add the lemmas of a Python file or module, functions marked @lemma that take self and return bool, as if "
        "they stood in the protocol; FILE:Class means the methods of a class.",
    ),
    click.option(
        "--houdini",
        "candidates",
        metavar="FILE|MODULE",
        help="Add candidate lemmas, as --lemmas does, then drop lemmas until the rest is inductive, and say which fell "
        "at which action.",
    ),
    click.option("--minimize", is_flag=True, help="Say which lemmas the proof does not need."),
    click.option(
        "--unbounded",
        is_flag=True,
        help="Prove for every choice of the bounds: any number of replicas, offsets, records and epochs. The bounds "
        "given are where the reading is compared with Python.",
    ),
    cross_check_option,
)
"""What `prove` proves, from which lemmas, and where."""
