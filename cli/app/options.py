"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from epochal.errors import UsageError

from .quantities import Duration, SampleSize, Size
from .setting_options import QUESTIONS, chosen_protocol

if TYPE_CHECKING:
    from epochal.checker.cross_check import Amount
    from epochal.spec.language import Protocol
    from epochal.spec.language.marks import Kind

ENGINES: Final = ("auto", "native", "python")
SEARCH_ENGINES: Final = ("auto", "native", "spark", "python")
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
                    f"{name} is a question of your own, which check, bmc and simulate can ask; here only what stands "
                    "in the protocol is judged",
                    ctx,
                    param,
                )
            _require_property(ctx, param, loaded, name)
    return value


def _properties_or_questions(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The same; functions of files are kept in the context, and become properties of the protocol."""
    from epochal.spec.questions import is_question, with_questions

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
        raise click.BadParameter(
            f"'{name}' says what must happen in the end (liveness), which 'epochal check' judges", ctx, param
        )
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
    help="Explore one representative of all states that differ only by a permutation of symmetric identifiers. A "
    "specification that tells these identifiers apart is refused.",
)

engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    envvar="EPOCHAL_ENGINE",
    help="native compiles the specification to machine code; python runs it as it is, slowly; auto is native.",
)

search_engine_option = click.option(
    "--engine",
    type=click.Choice(SEARCH_ENGINES),
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
            "--cross-check is for the other engines: they are compared with the Python reading.\n"
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
