"""The commands' base classes: examples in the help, configuration files, and options that depend on the protocol."""

from __future__ import annotations

import difflib
import importlib
import json
import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import click
from click.core import ParameterSource

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.former import present_options
from epochal.report.page import tell

if TYPE_CHECKING:
    from epochal.checker.search.budget import Deadline
    from epochal.spec.language import Given, Protocol, Setting
    from epochal.spec.language.bounds import BoundField
    from epochal.spec.loading import Subject


# -- quantities -------------------------------------------------------------------------------------------------------

if TYPE_CHECKING:
    NumberType = click.ParamType[float]
    SampleType = click.ParamType[int | Literal["all", "off"]]
    SwitchType = click.ParamType[bool]
else:  # generic to the type checker only, in some versions of click
    NumberType = SampleType = SwitchType = click.ParamType


class Quantity(NumberType):
    """A positive number with an optional unit."""

    units: ClassVar[dict[str, int]]
    examples: ClassVar[str]

    def parsed(self, value: object) -> float | None:
        """The number in base units, or None if `value` is not one."""
        found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)", str(value).strip().lower())
        if found is None or found[2] not in self.units:
            return None
        number = float(found[1]) * self.units[found[2]]
        return number if number > 0 else None

    def rejected(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Fail with the message about a value that is no such quantity."""
        self.fail(f"{value!r} is not a {self.name}. Write {self.examples}.", param, ctx)


class Duration(Quantity):
    """Seconds. A number without a unit is seconds."""

    name = "duration"
    units: ClassVar[dict[str, int]] = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
    examples = "30s, 5m or 2h"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The duration in seconds."""
        number = self.parsed(value)
        return self.rejected(value, param, ctx) if number is None else number


class OnOff(SwitchType):
    """Whether something is done: `on` or `off`."""

    name = "on|off"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        """True for on."""
        text = str(value).strip().lower()
        words = {"on": True, "off": False, "true": True, "false": False}
        return words[text] if text in words else self.fail(f"{value!r} is neither on nor off.", param, ctx)


class SampleSize(SampleType):
    """How many states are repeated: a whole number, `all` or `off`."""

    name = "number"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Literal["all", "off"]:
        """The number, or the word."""
        text = str(value).strip().lower()
        words: dict[str, Literal["all", "off"]] = {"all": "all", "off": "off"}
        if text in words:
            return words[text]
        if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) == 0:
            self.fail(f"{value!r} is no number of states. Write a whole number from 1 on, 'all' or 'off'.", param, ctx)
        return int(text)


class Size(Quantity):
    """Bytes. A number without a unit is bytes; units are powers of 1024."""

    name = "size"
    units: ClassVar[dict[str, int]] = {
        "": 1,
        "b": 1,
        **{unit + tail: 1024**power for power, unit in enumerate("kmgt", 1) for tail in ("", "b", "ib")},
    }
    examples = "512M or 6G"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The size in bytes."""
        number = self.parsed(value)
        return int(self.rejected(value, param, ctx) if number is None else number)


# -- patience ---------------------------------------------------------------------------------------------------------
# The patience of a command from its start on: --budget is known before the other options are.
#
# Which options a command has depends on the protocol, and to load that one is to run code of the user.

PATIENCE = "epochal.patience"
"""Where a command's context keeps its patience."""


def begun(args: Sequence[str], params: Sequence[click.Parameter], settings: Mapping[str, Any] | None) -> Deadline:
    """The patience of a command that begins now, with its budget and its limit of memory if it has such options.

    A value that is none is left to the command's parser, which says so.
    """
    from epochal.checker.search.budget import Deadline

    limits = {param.name: _said(args, param, settings or {}) for param in params}
    memory = limits.get("max_memory")
    return Deadline(limits.get("budget"), None if memory is None else int(memory))


def begun_at() -> float:
    """The moment at which the present command began."""
    patience: Deadline = click.get_current_context().meta[PATIENCE]
    return patience.begun


def _said(args: Sequence[str], param: click.Parameter, settings: Mapping[str, Any]) -> float | None:
    if not isinstance(param.type, Quantity):
        return None
    found: object = settings.get(str(param.name))
    if isinstance(param.envvar, str):
        found = os.environ.get(param.envvar) or found
    for at, word in enumerate(args):
        name, equals, value = word.partition("=")
        if name in param.opts:
            found = value if equals else args[at + 1] if at + 1 < len(args) else None
    return None if found is None else param.type.parsed(found)


# -- bounds and settings ----------------------------------------------------------------------------------------------

PROTOCOL = "epochal.protocol"
"""Where a command's context keeps the protocol it has loaded, with the settings of its reference."""

SETTINGS = "epochal.settings"
"""Where it keeps what the options for settings have said."""

BOUNDS = "epochal.bounds"
"""Where it keeps what the options for bounds have said."""

QUESTIONS = "epochal.questions"
"""Where it keeps the functions that are asked of the protocol besides its properties, by reference."""


CALLED = {"after": "from", "candidates": "houdini", "properties": "property"}
"""What Python cannot call as the options are called: keywords by the names of their options."""


def as_option(given: Given) -> str:
    """A bound or setting that a message names, as it is typed: `--replicas 9`, `--no-elr`."""
    from epochal.sentences import GivenProtocols
    from epochal.spec.language.configurable import negation, option

    if isinstance(given, GivenProtocols):
        return f"{option(given.name)} {shlex.quote(str(given.value))}"
    given = replace(given, name=CALLED.get(given.name, given.name))
    if given.value is None or isinstance(given.value, bool):
        return negation(given.name) if given.value is False else option(given.name)
    return f"{option(given.name)} {given.value}"


def bound_option(field: BoundField, default: int) -> click.Option:
    """The option that sets a bound. What it says is kept in the context."""
    from epochal.spec.language.configurable import option

    def keep(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.meta.setdefault(BOUNDS, {})[field.name] = _whole_number(field, value)

    return click.Option(
        [option(field.name)],
        metavar="N",
        expose_value=False,
        callback=keep,
        help=f"{field.help}; {field.least} to {field.most}, default {default}.",
    )


def _whole_number(field: BoundField, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise field.no_number(text) from None


def options_of(setting: Setting) -> list[str]:
    """The names of the options that set a setting; a switch has one that turns it off, too."""
    from epochal.spec.language.configurable import negation, option

    return [option(setting.name), *([negation(setting.name)] if setting.kind == "switch" else [])]


def setting_option(setting: Setting) -> click.Option:
    """The option that sets a setting. What it says is kept in the context, and checked together with all others."""

    def keep(ctx: click.Context, _: click.Parameter, value: str | bool | None) -> None:
        if value is not None:
            ctx.meta.setdefault(SETTINGS, {})[setting.name] = value

    help = f"{setting.help}; default {setting.default}."
    names = ["/".join(options_of(setting))]
    if setting.kind == "switch":
        return click.Option(names, default=None, expose_value=False, is_eager=True, callback=keep, help=help)
    metavar = "N" if setting.kind == "number" else "|".join(setting.choices) or setting.name.upper()
    return click.Option(names, metavar=metavar, expose_value=False, is_eager=True, callback=keep, help=help)


def chosen_protocol(ctx: click.Context) -> type[Protocol] | None:
    """The protocol of a command as its settings configure it; None if the command has none. The settings come first."""
    from epochal.spec.language.configurable import with_configuration

    loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
    return None if loaded is None else with_configuration(loaded, ctx.meta.get(SETTINGS, {}))


# -- disagreements ----------------------------------------------------------------------------------------------------


def tell_disagreement(error: Exception, subject: Subject, params: Mapping[str, Any]) -> None:
    """What a command about a protocol has raised: a disagreement becomes its report, also in --out, and an error.

    Anything else is left alone.
    """
    from epochal.checker.crosscheck.cross_check import SemanticsDisagree

    if not isinstance(error, SemanticsDisagree):
        return
    from epochal.checker.documents import document
    from epochal.checker.gate.disagreement_report import kept, message, named
    from epochal.checker.trace.output_folder import OutputFolder
    from epochal.report import documents

    found, reference = error.disagreement.alone, subject.reference
    out = params.get("out")
    path, problem = kept(found, reference, out)
    trace = None if found.trace is None else named(found.trace, reference)
    told = document(documents.Disagreement, found, trace=trace, file=path)
    whole = document(documents.Disagree, subject, disagreement=told, exit_code=ExitCode.READINGS_DISAGREE)
    if out is not None:
        OutputFolder(out).write_document("result.json", whole)
    if params.get("output_format") == "json":
        click.echo(json.dumps(whole, indent=1))
    text = message(found, reference, path, problem)
    raise EpochalError(text, exit_code=ExitCode.READINGS_DISAGREE) from error


HELP_OPTIONS = ("-h", "--help")


SLIP = 0.75
"""How much an unknown option must look like a known one to be a slip of the finger."""


class OwnOption(click.Option):
    """An option that has the name of a setting for searches, and means something else: settings do not reach it."""


class WithExamples(click.Command):
    """A command whose help ends with examples, one a line and never wrapped. The tests run them as they stand."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class EpochalCommand(WithExamples):
    """A command whose options may be set in a file."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if not extra.get("resilient_parsing") and not set(HELP_OPTIONS) & set(args):
            from epochal.checker.gate.configuration import misspelt_variables, read_configuration

            args = present_options(args, tell)
            configuration = read_configuration(Path.cwd())
            for warning in misspelt_variables():
                tell(f"epochal: {warning}")
            shared = [param for param in self.params if not isinstance(param, OwnOption)]
            by_option = {option: param.name for param in shared for option in param.opts}
            settings = {by_option.get(f"--{key}"): value for key, value in configuration.settings.items()}
            extra.setdefault("default_map", settings)
            if parent is not None:
                parent.meta["epochal.configuration"] = configuration.file
        return super().make_context(info_name, args, parent, **extra)


class EpochalGroup(WithExamples, click.Group):
    """A group below the top level: an unknown command suggests the nearest."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        from epochal.spec.language.errors import advice

        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            raise click.UsageError(f"no such command '{name}'. {advice(name, known, 'commands')}", ctx)
        return super().resolve_command(ctx, args)


class ProtocolCommand(EpochalCommand):
    """A command with a PROTOCOL argument. Every bound and every setting of that protocol is an option of the command.

    The callback gets `subject`: the protocol with the bounds and settings that were asked for, and the name it was
    asked by, with the settings.

    With `usual` the command is about that one or what derives from it, and the argument may be left out. Of its bounds
    `bounds` are options, with the command's own defaults.
    """

    def __init__(
        self, *args: Any, usual: str | None = None, bounds: Mapping[str, int] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.usual = usual
        self.bounds = bounds

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        name = positional(args, self.params) or self.usual
        if ctx.resilient_parsing:
            self._complete_for(ctx, name)
        elif name is not None:
            from epochal.spec.loading import load_protocol

            ctx.meta[PATIENCE] = begun(args, self.params, ctx.default_map)
            with ctx.meta[PATIENCE].watching(f"loading {name}"):
                ctx.meta[PROTOCOL] = load_protocol(name)
            self._refuse_others(ctx, name)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise self._unknown_option(ctx, error) from error

    def _complete_for(self, ctx: click.Context, name: str | None) -> None:
        """Let a shell offer the options of a registered protocol. No file of the user is run by a key of the shell."""
        from epochal.spec.registry import is_registered, registered

        if name is not None and is_registered(name):
            ctx.meta[PROTOCOL] = registered(name)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        return [*params[:-1], *self._bound_options(ctx), *self._setting_options(ctx), params[-1]]

    def _bound_options(self, ctx: click.Context) -> list[click.Parameter]:
        from epochal.spec.language.configurable import option

        loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
        if loaded is None:
            return []
        declared = loaded.bounds_type().declared()
        taken = {name for param in self.params for name in param.opts}
        for field in declared.values():
            if option(field.name) in taken:
                raise _taken(loaded, "bound", field.name, option(field.name))
        if self.bounds is None:
            return [bound_option(field, field.default) for field in declared.values()]
        from epochal.spec.registry import registered

        known = declared if self.usual is None else registered(self.usual).bounds_type().declared()
        own = {name: field.default for name, field in declared.items() if name not in known}
        return [
            bound_option(declared[name], default) for name, default in {**self._usual_bounds(loaded), **own}.items()
        ]

    def _usual_bounds(self, loaded: type[Protocol]) -> dict[str, int]:
        """The command's own defaults, as far as a protocol allows them."""
        declared = loaded.bounds_type().declared()
        return {name: min(default, declared[name].most) for name, default in (self.bounds or {}).items()}

    def _refuse_others(self, ctx: click.Context, name: str) -> None:
        """Raise UsageError for a protocol that does not derive from the usual one."""
        if self.usual is None:
            return
        from epochal.spec.registry import registered

        usual = registered(self.usual)
        if not issubclass(ctx.meta[PROTOCOL], usual):
            raise click.UsageError(
                f"{name} is not {self.usual}: the command is about {self.usual} and what derives from "
                f"{usual.__module__}.{usual.__name__}.",
                ctx,
            )

    def _setting_options(self, ctx: click.Context) -> list[click.Parameter]:
        from epochal.spec.language.configurable import settings_of

        loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
        if loaded is None:
            return []
        settings = settings_of(loaded)
        taken = {name for param in (*self.params, *self._bound_options(ctx)) for name in param.opts}
        for setting in settings.values():
            for name in options_of(setting):
                if name in taken:
                    raise _taken(loaded, "setting", setting.name, name)
        return [setting_option(setting) for setting in settings.values()]

    def _unknown_option(self, ctx: click.Context, error: click.NoSuchOption) -> click.UsageError:
        """A bound that another protocol has deserves a better answer than "no such option"."""
        from epochal.spec.language.configurable import option

        loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
        if loaded is None:
            return error
        is_bound = error.option_name in map(option, loaded.bounds_type().declared())  # one that this command has not
        if not is_bound and difflib.get_close_matches(error.option_name, error.possibilities or (), cutoff=SLIP):
            return error
        options = [name for param in self._bound_options(ctx) for name in param.opts]
        bounds = f"its bounds are {', '.join(options)}" if options else "it has no bounds"
        return click.UsageError(f"{loaded.name} has no option {error.option_name}; {bounds}.", ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        bounds, settings = self._bound_options(ctx), self._setting_options(ctx)
        options = [p for p in self.params if isinstance(p, click.Option)]
        general = [record for p in options if (record := p.get_help_record(ctx)) is not None]
        help_option = self.get_help_option(ctx)
        if help_option is not None and (record := help_option.get_help_record(ctx)) is not None:
            general.append(record)
        with formatter.section("Options"):
            formatter.write_dl(general)
        records = [record for p in bounds if (record := p.get_help_record(ctx)) is not None]
        loaded: type[Protocol] | None = ctx.meta.get(PROTOCOL)
        if loaded is not None and records:
            with formatter.section(f"Bounds of {loaded.name}"):
                formatter.write_dl(records)
        said = [record for p in settings if (record := p.get_help_record(ctx)) is not None]
        if loaded is not None and said:
            with formatter.section(f"Configuration of {loaded.name}"):
                formatter.write_dl(said)
        if loaded is None:
            with formatter.section("Bounds"):
                formatter.write_text(
                    "Every bound of the protocol is an option, such as --replicas 3; "
                    f"'{ctx.command_path} kip-320 --help' lists those of kip-320."
                )

    def invoke(self, ctx: click.Context) -> Any:
        from epochal.spec.language.configurable import reference_to, split_reference
        from epochal.spec.loading import Subject, instantiate, with_questions

        kind = chosen_protocol(ctx)
        assert kind is not None, "a command is not invoked without its protocol"
        with ctx.meta[PATIENCE].watching(f"making {kind.__name__}"):
            kind = with_questions(kind, ctx.meta.get(QUESTIONS, ()))
            protocol = instantiate(kind, {**self._usual_bounds(kind), **ctx.meta.get(BOUNDS, {})})
        name, _ = split_reference(ctx.params.pop("protocol") or str(self.usual))
        subject = ctx.params["subject"] = Subject(reference_to(name, kind), protocol)
        try:
            return super().invoke(ctx)
        except Exception as error:  # which goes on, but for a disagreement: that has a report of its own
            tell_disagreement(error, subject, ctx.params)
            raise


def _taken(loaded: type[Protocol], what: str, name: str, option: str) -> Exception:
    from epochal.spec.language import LanguageError

    return LanguageError(
        f"the {what} {name!r} of {loaded.__name__} has the name of the option {option}", advice=f"Rename the {what}."
    )


def positional(args: Sequence[str], params: Sequence[click.Parameter]) -> str | None:
    """The first argument that is neither an option nor the value of one, before the protocol's bounds are known.

    An unknown option may be a bound, which takes a value, or a mistake: it takes the next argument unless that is an
    option itself or names a protocol.
    """
    from epochal.spec.loading import names_protocol

    takes_value = {name: not p.is_flag for p in params if isinstance(p, click.Option) for name in p.opts}
    takes_value.update(dict.fromkeys(HELP_OPTIONS, False))
    rest = list(args)
    while rest:
        token = rest.pop(0)
        if token == "--":
            return rest[0] if rest else None
        if len(token) < 2 or not token.startswith("-"):
            return token
        if "=" in token or not rest:
            continue
        unknown = token not in takes_value
        if takes_value.get(token) or (unknown and not rest[0].startswith("--") and not names_protocol(rest[0])):
            rest.pop(0)
    return None


# -- boundary ---------------------------------------------------------------------------------------------------------
# The error boundary: every exception becomes one clear message and a documented exit code, never a traceback.
#
# With EPOCHAL_DEBUG=1 the traceback is shown as well.


class ReaderLeft(Exception):
    """Nobody reads stdout any more: `epochal list | head -1`. Unlike BrokenPipeError, click leaves it alone."""


def guarded(run: Callable[[], object]) -> int:
    """Run a command; its exit code. Whatever goes wrong is told on stderr."""
    try:
        result = run()
        sys.stdout.flush()
    except (BrokenPipeError, ReaderLeft):
        _discard_output()
        return ExitCode.BROKEN_PIPE
    except (click.Abort, KeyboardInterrupt) as stopped:
        return _interrupted(stopped)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except SystemExit:
        raise
    except BaseException as error:  # the boundary: nothing may pass it
        if os.environ.get("EPOCHAL_DEBUG"):
            traceback.print_exc()
        code, message = described(error)
        _tell(message)
        if isinstance(error, OSError):
            _discard_output()
        return code
    return result if isinstance(result, int) else ExitCode.HOLDS


def _interrupted(stopped: BaseException) -> int:
    """Tell that Ctrl-C was pressed, or that a budget was spent before there was anything to report."""
    from epochal.checker.search.budget import BudgetExceeded

    spent = next((one for one in (stopped, stopped.__cause__) if isinstance(one, BudgetExceeded)), None)
    if spent is None:
        _tell("interrupted")
        return ExitCode.INTERRUPTED
    from epochal.checker.described import budget_exceeded

    _tell(budget_exceeded(spent).told(as_option))
    return ExitCode.INCONCLUSIVE


def described(error: BaseException) -> tuple[ExitCode, str]:
    """The exit code of an exception, and its message for people: also of a mistake on the command line."""
    if isinstance(error, click.FileError):
        return ExitCode.ENGINE_FAILURE, error.format_message()
    if isinstance(error, click.ClickException):
        return _usage(error)
    from epochal.checker.described import described as described_of_the_library

    return described_of_the_library(error, as_option)


def _usage(error: click.ClickException) -> tuple[ExitCode, str]:
    """A mistake on the command line; or in a variable or file, if that is where the value came from."""
    context = getattr(error, "ctx", None)
    hint = f"\n  Try '{context.command_path} --help'." if context is not None else ""
    parameter = getattr(error, "param", None)
    if isinstance(error, click.BadParameter) and context is not None and parameter is not None:
        source = context.get_parameter_source(parameter.name)
        if source is ParameterSource.ENVIRONMENT:
            return ExitCode.BAD_CONFIGURATION, f"environment variable {parameter.envvar}: {error.message}"
        if source is ParameterSource.DEFAULT_MAP:
            key = parameter.opts[0].lstrip("-")
            return ExitCode.BAD_CONFIGURATION, f"{context.meta.get('epochal.configuration')}: {key}: {error.message}"
    if isinstance(error, click.NoSuchOption):
        near = f" Did you mean {error.possibilities[0]}?" if error.possibilities else ""
        return ExitCode.USAGE, f"no such option {error.option_name}.{near}{hint}"
    message = error.format_message()
    return ExitCode.USAGE, f"{message[:1].lower()}{message[1:]}{hint}"


def _tell(message: str) -> None:
    try:
        tell(f"epochal: {message}")
    except OSError:  # nobody listens on stderr either: the exit code is all that is left to say
        _redirect(sys.stderr.fileno())


def _discard_output() -> None:
    """Let the interpreter's last flush of a stdout that cannot be written go nowhere."""
    try:
        _redirect(sys.stdout.fileno())
    except (OSError, ValueError):  # a captured stdout has no descriptor and needs no redirection
        return


def _redirect(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


# -- group ------------------------------------------------------------------------------------------------------------
# A group whose commands are imported only when they are called, so that `epochal --help` stays fast.


@dataclass(frozen=True)
class LazyCommand:
    """A command by name, and its line in the help of the group. A module of `cli.commands` defines it as `command`.

    `module` names it where it is called otherwise: `gate:baseline` is the command `baseline` of the module `gate`. A
    `hidden` command works and is not listed: a former name, or a command for those who maintain Epochal.
    """

    name: str
    help: str
    hidden: bool = False
    module: str = ""


class LazyGroup(EpochalGroup):
    """The top-level group. It is also where the error boundary stands."""

    def __init__(self, *args: Any, lazy: Sequence[LazyCommand], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = {command.name: command for command in lazy}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [command.name for command in self.lazy.values() if not command.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return None
        module, _, name = (self.lazy[cmd_name].module or cmd_name).partition(":")
        found: click.Command = getattr(importlib.import_module(f"epochal.cli.commands.{module}"), name or "command")
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(command.name, command.help) for command in self.lazy.values() if not command.hidden])

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command. What click would turn into an exit code of its own is told apart here."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ReaderLeft from error
        except SystemExit as error:  # no command leaves like this, so it was a rule of the specification
            raise EpochalError(
                "a rule of the specification ended the program (sys.exit).\n  A rule that forbids a step uses require.",
                exit_code=ExitCode.EVALUATION_FAILED,
            ) from error
        return result

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command line, and exit with the documented code unless `standalone_mode` is false."""
        run: Callable[..., Any] = super().main
        if not kwargs.pop("standalone_mode", True):
            return run(*args, standalone_mode=False, **kwargs)
        kwargs.setdefault("prog_name", "epochal")
        sys.exit(guarded(lambda: run(*args, standalone_mode=False, **kwargs)))


class CommandWithOthers(EpochalCommand):
    """A command that others stand below, such as `epochal gate` and `epochal gate approve`.

    `others` are their names, each with its line in the help; the module `others_from` has them as `COMMANDS`. An
    argument of this command that is called like one of them stands after `--`.
    """

    def __init__(self, *args: Any, others: Sequence[tuple[str, str]], others_from: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.others = tuple(others)
        self.others_from = others_from

    @property
    def commands(self) -> dict[str, click.Command]:
        """The commands below this one, imported when somebody asks."""
        found: dict[str, click.Command] = importlib.import_module(self.others_from).COMMANDS
        return found

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args and args[0] in dict(self.others):
            return self.commands[args[0]].make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section("Commands"):
            formatter.write_dl([(f"{self.name} {name}", text) for name, text in self.others])
