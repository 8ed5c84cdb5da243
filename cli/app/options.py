"""Options and arguments that several commands share."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from epochal.api.options import (
    KEYWORDS,
    LOCAL_ENGINE,
    OWN,
    Check,
    Option,
    PathTo,
    file_pairs,
    flag,
    folder,
    ids,
    one_of,
    optional,
    paths,
    renaming,
    rules,
    sample,
    sample_of_typed,
    seconds,
    size,
    some_ids,
    some_of,
    switch,
    text,
    whole,
)
from epochal.checker.gate.configuration import KEYS, PREFIX, VARIABLES
from epochal.errors import UsageError

from .command import QUESTIONS, Duration, OnOff, OwnOption, SampleSize, Size, begun_at, chosen_protocol

if TYPE_CHECKING:
    from epochal.api.result import Result
    from epochal.checker.crosscheck.cross_check import Amount
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.report.progress import Report, Telling
    from epochal.spec.language import Protocol
    from epochal.spec.language.marks import Kind
    from epochal.spec.loading import Subject


PROPERTY_KINDS: Final[tuple[Kind, ...]] = ("invariant", "action_property", "reachable")


def complete_protocol(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The protocols whose names begin so; else files."""
    from epochal.spec.registry import REGISTRY, names_in_catalogue

    names = [CompletionItem(name) for name in (*REGISTRY, *names_in_catalogue()) if name.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


protocol_argument = click.argument("protocol", metavar="PROTOCOL", shell_complete=complete_protocol)


def _known_properties(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Check the ids against those of the protocol, which the command has loaded before its options are processed.

    Functions of files are kept in the context, and become properties of the protocol, in commands that take them.
    Lemmas are among the ids if the command has been asked for them by --lemmas, which is processed first.
    """
    from epochal.spec.loading import is_question, with_questions

    loaded = chosen_protocol(ctx) if value else None
    if loaded is None:
        return value
    asked = [name for name in value if is_question(name)] if param.metavar == QUESTIONS_TOO else []
    widened = with_questions(loaded, asked)
    ctx.meta[QUESTIONS] = asked
    for name in value:
        if name not in asked and is_question(name):
            raise click.BadParameter(
                f"{name} is a query of your own, which check, bmc and simulate take; here only the "
                "properties of the protocol are checked",
                ctx,
                param,
            )
        if name not in asked:
            _require_property(ctx, param, widened, name)
    return tuple(name.rpartition(":")[2] if name in asked else name for name in value)


def _require_property(ctx: click.Context, param: click.Parameter, loaded: type[Protocol], name: str) -> None:
    from epochal.spec.language.errors import advice

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


# -- options ----------------------------------------------------------------------------------------------------------
# Options of commands, made of their declarations. Those that Python has no keyword for are declared here.

Command = TypeVar("Command", bound=Callable[..., Any])
Answer = TypeVar("Answer", bound="Result")
Decorator = Callable[[Command], Command]

SEVERAL: Final = (ids, some_ids, renaming, rules, file_pairs, paths)
"""The checks of keywords for several values: their options may be repeated."""

TYPES: Final[Mapping[Check, tuple[click.ParamType[Any], str]]] = {
    seconds: (Duration(), "TIME"),
    size: (Size(), "SIZE"),
    sample: (SampleSize(), "N|all|off"),
    switch: (OnOff(), "on|off"),
    sample_of_typed: (SampleSize(), "N|all|off"),
}

QUESTIONS_TOO: Final = "ID|FILE:NAME"

HERE: Final[Mapping[str, Option]] = {
    "output_format": Option(
        one_of(("text", "json")), "A report for people, or one JSON object.", "format", default="text", shown=False
    ),
    "brief": Option(
        flag,
        "Print three lines: the verdict, the violated properties, and where the full report is. JSON and files stay "
        "complete.",
    ),
    "progress": Option(
        one_of(("auto", "plain", "json", "none")),
        "On stderr: a live line on a terminal and plain lines elsewhere (auto), plain lines, one JSON object a line, "
        "or nothing.",
        default="auto",
        shown=False,
    ),
    "storage": Option(
        text,
        "With --engine spark: the folder of the search's log, writable by the driver and all executors: a path, "
        "or a URI that pyarrow.fs knows. Required unless the master is local.",
        metavar="URI",
    ),
    "conf": Option(
        ids,
        "With --engine spark: a Spark setting, or spark.epochal.threshold, spark.epochal.ahead, "
        "spark.epochal.partitions, spark.epochal.cacheDir; may be repeated.",
        metavar="KEY=VALUE",
    ),
    "resume": replace(KEYWORDS["resume"], check=text),
    "questions": Option(
        ids,
        "The file with your own property that the trace violates. Epochal loads and runs it. May be repeated.",
        "property",
        "FILE:NAME",
    ),
    "protocols": Option(
        ids,
        "The file with your own specification that the trace belongs to. Epochal loads and runs it. May be repeated. "
        "Traces of registered protocols need none.",
        "protocol",
        "FILE:NAME",
    ),
    "all_fields": Option(
        flag, "Show every field of the state by name, including bookkeeping, instead of the protocol's views."
    ),
}


def _turned_off(_: click.Context, __: click.Parameter, given: bool) -> bool:
    """Return what a `--no-...` leaves on. (A flag whose value is False means nothing to click 8.3.0 and 8.3.1.)"""
    return not given


def option(name: str, declared: Option, **more: Any) -> Callable[[Command], Command]:
    """A decorator that adds an option as it is declared; `more` is for click alone."""
    called = declared.flag or name.replace("_", "-")
    check = declared.check.check if isinstance(declared.check, optional) else declared.check
    metavar, off = declared.metavar, called.startswith("no-")
    match check:
        case whole():
            more["type"], metavar = click.IntRange(check.least, check.most), metavar or "N"
        case one_of() | some_of():
            more.update(type=click.Choice(check.choices), multiple=isinstance(check, some_of))
        case PathTo():
            more["type"] = click.Path(check.exists, check.files, check.folders, path_type=Path)
            metavar = metavar or ("FILE" if check.files else "DIR")
        case _ if check is flag:
            more.update(is_flag=True, is_eager=name == "lemmas")  # they are among the ids of --property
            more.update({"callback": _turned_off} if off else {})
        case _ if check in SEVERAL:
            more.setdefault("multiple", True)
        case _ if check in TYPES:
            more["type"], metavar = TYPES[check]
    if declared.default is not None and not off:
        more.update(default=declared.default, show_default=declared.shown)
    if declared.variable and not declared.own and called in (*KEYS, *VARIABLES):
        more["envvar"] = PREFIX + called.upper().replace("-", "_")
    if declared.own:
        more["cls"] = OwnOption
    if name == "properties":
        more["callback"] = _known_properties
    more.update(metavar=metavar or None, required=declared.required, help=declared.help)
    return click.option(f"--{called}", name, **more)


def options(*names: str | Decorator[Any], of: str = "") -> Callable[[Command], Command]:
    """A decorator that adds options in this order in the help: names in one text, or decorators.

    They are meant as in the query `of`, or as in most.
    """
    declared = {**KEYWORDS, **HERE, **OWN.get(of, {})}
    several = [one for text in names for one in (text.split() if isinstance(text, str) else (text,))]

    def decorate(command: Command) -> Command:
        for one in reversed(several):
            command = (option(one, declared[one]) if isinstance(one, str) else one)(command)
        return command

    return decorate


questions_option = option(
    "properties",
    replace(
        KEYWORDS["properties"],
        metavar=QUESTIONS_TOO,
        help=f"{KEYWORDS['properties'].help} path/to/file.py:function adds a property of your own: an invariant, "
        "(self) -> bool, or an action property, (self, new) -> bool.",
    ),
)
engine_option = option("engine", LOCAL_ENGINE)
"""--engine of commands that take no cluster."""


def chosen_cross_check(value: int | Literal["all", "off"] | None, engine: str = "") -> Amount:
    """What --cross-check says. Raises EpochalError if the engine is the one that the others are compared with."""
    if value is None:
        return "some"
    if engine == "python":
        raise UsageError(
            "--cross-check is for the other engines: they are compared with the Python semantics.\n"
            "  Leave it out, or leave out --engine python."
        )
    if engine == "z3" and value == "all":
        raise UsageError(
            "--cross-check all is for searches: there are more typed states than anybody can repeat.\n"
            "  Give a number: --cross-check 500."
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


_TRACE_FILE: Final = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)

trace_argument = click.argument("trace", metavar="FILE", type=_TRACE_FILE)
traces_argument = click.argument("traces", metavar="FILES", nargs=-1, required=True, type=_TRACE_FILE)


# -- output -----------------------------------------------------------------------------------------------------------
# Where an answer goes, and how it is asked for.


@dataclass(frozen=True)
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
    def reporting(self, telling: Telling[Any] | None = None) -> Iterator[Report | None]:
        """Show the progress of what is done meanwhile."""
        from epochal.report.progress import SEARCH, shown_progress

        with shown_progress(self.progress, sys.stderr, telling or SEARCH) as report:
            yield report

    def ask(
        self, query: Callable[..., Answer], *about: Any, telling: Telling[Any] | None = None, **given: Any
    ) -> Answer:
        """Run a query, and show its progress meanwhile; its result, after Ctrl-C the partial one."""
        from epochal.api.result import partial_result

        with self.reporting(telling) as report:
            return partial_result(query, *about, progress=report, **given)

    def ask_about(
        self, subject: Subject, query: Callable[..., Answer], properties: tuple[str, ...], **given: Any
    ) -> Answer:
        """Run a query about properties of the protocol of a command."""
        about: dict[str, Any] = {"reference": subject.reference, "properties": properties or None, "begun": begun_at()}
        return self.ask(query, subject.protocol, **about, **given)

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


def output(files: str, progress: str = "") -> Callable[[Command], Command]:
    """--format, --brief, --out and --progress, as one record; `files` says what --out writes, "" that there is none.

    `progress` is what --progress says if it means something else.
    """
    shown = HERE["progress"]
    added = options(
        "output_format brief",
        *([option("out", Option(folder, files))] if files else []),
        option("progress", replace(shown, help=progress or shown.help)),
    )

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(output_format: str, brief: bool, progress: str, **given: Any) -> Any:
            out = given.pop("out") if files else None
            return command(output=Output(output_format, out, progress, brief), **given)

        return added(called)  # type: ignore[return-value]  # a command of other parameters

    return decorate


printed = output("")
"""--format, --brief and --progress, for commands that write no files."""
