"""Options and arguments that several commands share."""

from __future__ import annotations

import dataclasses
import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from epochal.checker.search.engines import LOCAL, SEARCHES
from epochal.errors import UsageError

from .command import OwnOption
from .quantities import Duration, SampleSize, Size
from .setting_options import QUESTIONS, chosen_protocol

if TYPE_CHECKING:
    from epochal.api.result import Result
    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.report.progress import Report, Telling
    from epochal.spec.language import Protocol
    from epochal.spec.language.marks import Kind


FORMATS: Final = ("text", "json")
PROPERTY_KINDS: Final[tuple[Kind, ...]] = ("invariant", "action_property", "reachable")
PROGRESS: Final = ("auto", "plain", "json", "none")


def complete_protocol(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The protocols whose names begin so; else files."""
    from epochal.spec.registry import REGISTRY, names_in_catalogue

    names = [CompletionItem(name) for name in (*REGISTRY, *names_in_catalogue()) if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


protocol_argument = click.argument("protocol", metavar="PROTOCOL", shell_complete=complete_protocol)


def _known_properties(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Check the ids against those of the protocol, which the command has loaded before its options are processed.

    Lemmas are among them if the command has been asked for them by --lemmas, which is processed first.
    """
    loaded = chosen_protocol(ctx) if value else None
    if loaded is not None:
        for name in value:
            if ".py:" in name:
                raise click.BadParameter(
                    f"{name} is a query of your own, which check, bmc and simulate take; here only the "
                    "properties of the protocol are checked",
                    ctx,
                    param,
                )
            _require_property(ctx, param, loaded, name)
    return value


def _properties_or_questions(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The same; functions of files are kept in the context, and become properties of the protocol."""
    from epochal.spec.loading import is_question, with_questions

    loaded = chosen_protocol(ctx) if value else None
    if loaded is None:
        return value
    asked = [name for name in value if is_question(name)]
    widened = with_questions(loaded, asked)
    ctx.meta[QUESTIONS] = asked
    ids = []
    for name in value:
        if not is_question(name):
            _require_property(ctx, param, widened, name)
        ids.append(name.rpartition(":")[2] if is_question(name) else name)
    return tuple(ids)


def _require_property(ctx: click.Context, param: click.Parameter, loaded: type[Protocol], name: str) -> None:
    from epochal.spec.language.suggestions import advice

    kinds: tuple[Kind, ...] = (*PROPERTY_KINDS, "lemma") if ctx.params.get("lemmas") else PROPERTY_KINDS
    known = [member.name for kind in kinds for member in loaded.members(kind)]
    promised = [member.name for member in loaded.members("leads_to")]
    if ctx.command.name == "liveness":
        known = promised
    elif ctx.command.name in ("check", "mutate"):
        known += promised
    elif name in promised:
        raise click.BadParameter(f"'{name}' is a liveness property, which 'epochal check' checks", ctx, param)
    if name not in known:
        raise click.BadParameter(
            f"{loaded.name} has no property '{name}'. {advice(name, known, 'properties')}", ctx, param
        )


properties_option = click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="ID",
    callback=_known_properties,
    help="Check only this property. May be repeated. 'epochal show PROTOCOL' lists the properties.",
)

questions_option = click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="ID|FILE:NAME",
    callback=_properties_or_questions,
    help="Check only this property. May be repeated. 'epochal show PROTOCOL' lists the properties. "
    "path/to/file.py:function adds a property of your own: an invariant, (self) -> bool, or an action property, "
    "(self, new) -> bool.",
)

lemmas_option = click.option(
    "--lemmas",
    is_flag=True,
    is_eager=True,
    help="Also check the lemmas of the protocol as invariants: a false lemma cannot be proved.",
)

symmetry_option = click.option(
    "--symmetry",
    is_flag=True,
    help="Explore one canonical representative of all states that differ only by a permutation of symmetric "
    "identifiers. A specification that distinguishes these identifiers is refused.",
)

engine_option = click.option(
    "--engine",
    type=click.Choice(LOCAL),
    default="auto",
    envvar="EPOCHAL_ENGINE",
    help="native compiles the specification to machine code; python runs it as it is, slowly; auto is native.",
)

search_engine_option = click.option(
    "--engine",
    type=click.Choice(SEARCHES),
    default="auto",
    envvar="EPOCHAL_ENGINE",
    help="native compiles the specification to machine code; spark runs that code on a cluster or beyond the memory of "
    "this machine; python runs the specification as it is, slowly; auto is native, and spark where memory ends and "
    "--storage or --master says where to go on.",
)

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="text",
    envvar="EPOCHAL_FORMAT",
    help="A report for people, or one JSON object.",
)

brief_option = click.option(
    "--brief",
    is_flag=True,
    help="Print three lines: the verdict, the violated properties, and where the full report is. JSON and files stay "
    "complete.",
)

progress_option = click.option(
    "--progress",
    type=click.Choice(PROGRESS),
    default="auto",
    envvar="EPOCHAL_PROGRESS",
    help="On stderr: a live line on a terminal and plain lines elsewhere (auto), plain lines, one JSON object a line, "
    "or nothing.",
)

budget_option = click.option(
    "--budget",
    type=Duration(),
    metavar="TIME",
    envvar="EPOCHAL_BUDGET",
    help="Stop after this time, such as 30s, 5m or 2h, and report the results so far. The time covers the whole "
    "command: loading, compiling and every search.",
)

max_states_option = click.option(
    "--max-states",
    type=click.IntRange(min=1),
    metavar="N",
    envvar="EPOCHAL_MAX_STATES",
    help="Stop after this many distinct states.",
)

max_memory_option = click.option(
    "--max-memory",
    type=Size(),
    metavar="SIZE",
    envvar="EPOCHAL_MAX_MEMORY",
    help="Stop when the process holds this much memory, such as 512M or 6G.",
)

workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1, max=255),
    metavar="N",
    envvar="EPOCHAL_WORKERS",
    help="Use this many processors. The result does not depend on the number. Default: all.",
)

cross_check_option = click.option(
    "--cross-check",
    type=SampleSize(),
    metavar="N|all|off",
    help="Evaluate this many of the reached states in Python as well, and compare every result of the engine. Default: "
    "at least 8, and more within 2 % of the run's time, at most one second.",
)


def chosen_cross_check(value: int | Literal["all", "off"] | None, engine: str = "") -> Amount:
    """What --cross-check says. Raises EpochalError if the engine is the one that the others are compared with."""
    if value is None:
        return "some"
    if engine == "python":
        raise UsageError(
            "--cross-check is for the other engines: they are compared with the Python semantics.\n"
            "  Leave it out, or leave out --engine python.",
        )
    if engine == "z3" and value == "all":
        raise UsageError(
            "--cross-check all is for searches: there are more typed states than anybody can repeat.\n"
            "  Give a number: --cross-check 500.",
        )
    return value


OTHER_PROCESSORS = {
    "spark": "The master says how many processors take part: --master 'local[2]'.",
    "python": "The Python engine uses one processor.",
}


def refuse_workers(engine: str) -> None:
    """Raise EpochalError if the command line gives --workers to an engine that cannot heed it; the environment may."""
    source = click.get_current_context().get_parameter_source("workers")
    if engine in OTHER_PROCESSORS and source is ParameterSource.COMMANDLINE:
        raise UsageError(f"--workers needs the native engine.\n  {OTHER_PROCESSORS[engine]}")


trace_questions_option = click.option(
    "--property",
    "questions",
    multiple=True,
    metavar="FILE:NAME",
    help="The file with your own property that the trace violates. Epochal loads and runs it. May be repeated.",
)

all_fields_option = click.option(
    "--all-fields",
    is_flag=True,
    help="Show every field of the state by name, including bookkeeping, instead of the protocol's views.",
)

_TRACE_FILE: Final = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)

trace_argument = click.argument("trace", metavar="FILE", type=_TRACE_FILE)
trace_protocols_option = click.option(
    "--protocol",
    "protocols",
    multiple=True,
    metavar="FILE:NAME",
    help="The file with your own specification that the trace belongs to. Epochal loads and runs it. May be repeated. "
    "Traces of registered protocols need none.",
)
traces_argument = click.argument("traces", metavar="FILES", nargs=-1, required=True, type=_TRACE_FILE)


# -- groups -----------------------------------------------------------------------------------------------------------
# Options that belong together, as one record: what many commands ask, each in the same words.

Command = TypeVar("Command", bound=Callable[..., Any])


def packed(kind: type[Any], name: str, *options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that adds options, whose values the command gets as one record `name` of a data class."""
    fields = [field.name for field in dataclasses.fields(kind)]

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(**given: Any) -> Any:
            record = kind(**{field: given.pop(field) for field in fields})
            return command(**{name: record}, **given)

        for option in reversed(options):
            called = option(called)
        return called  # type: ignore[return-value]  # a command of other parameters

    return decorate


def grouped(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """A decorator that adds options, in this order in the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


@dataclasses.dataclass(frozen=True)
class Limits:
    """What a search may take: seconds of wall time, distinct states, bytes of the process."""

    budget: float | None
    max_states: int | None
    max_memory: int | None


limits = packed(Limits, "limits", budget_option, max_states_option, max_memory_option)


@dataclasses.dataclass(frozen=True)
class Output:
    """Where an answer goes: text or JSON on stdout, files in a folder, progress on stderr."""

    output_format: str
    out: Path | None
    progress: str
    brief: bool

    @property
    def in_full(self) -> bool:
        """Whether witnesses are wanted too: in JSON and in files."""
        return self.output_format == "json" or self.out is not None

    def folder(self) -> OutputFolder | None:
        """The folder of --out, found writable; None without it. Raises EngineError."""
        from epochal.checker.trace.output_folder import OutputFolder

        return OutputFolder(self.out) if self.out is not None else None

    @contextmanager
    def reporting(self, telling: Telling | None = None) -> Iterator[Report | None]:
        """Show the progress of what is done meanwhile."""
        from epochal.report.progress import SEARCH, shown_progress

        with shown_progress(self.progress, sys.stderr, telling or SEARCH) as report:
            yield report

    def show(self, result: Result, files: Sequence[str] = ()) -> int:
        """Print an answer, as the report or as JSON; its exit code."""
        if self.output_format == "json":
            click.echo(json.dumps(result.to_dict(), indent=1))
        else:
            from epochal.report.page import open_page

            page = open_page(sys.stdout)
            if self.brief:
                result.render_briefly(page, files)
            else:
                result.render(page, files)
                page.again(result.headline)
        return result.exit_code


def output(files: str) -> Callable[[Command], Command]:
    """--format, --brief, --out and --progress; `files` says what --out writes."""
    out = click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help=files)
    return packed(Output, "output", format_option, brief_option, out, progress_option)


def _no_folder(command: Command) -> Command:
    """A command whose answer is printed and nothing else."""

    @functools.wraps(command)
    def called(**given: Any) -> Any:
        return command(**given, out=None)

    return called  # type: ignore[return-value]  # a command of other parameters


printed = packed(Output, "output", format_option, brief_option, _no_folder, progress_option)
"""--format, --brief and --progress, for commands that write no files."""


# -- questions --------------------------------------------------------------------------------------------------------
# The options of what is asked of a search or of Z3, a group for each command.

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
"""What fairness is assumed besides what liveness properties name."""

liveness_option = click.option(
    "--no-liveness",
    "liveness",
    is_flag=True,
    flag_value=False,
    default=True,
    help="Do not check liveness properties (leads_to). Liveness is checked after a search of every state that uses "
    "neither --symmetry nor --compact, and takes about as long as the search.",
)

optional_option = click.option(
    "--optional",
    is_flag=True,
    help="Also check optional liveness properties: desirable, but not guaranteed by the protocol.",
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
    optional_option,
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

liveness_query = grouped(
    properties_option,
    engine_option,
    workers_option,
    optional_option,
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
