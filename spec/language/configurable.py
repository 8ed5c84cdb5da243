"""Settings of a configuration: one specification stands for several protocols, and settings say which is meant.

A bound is a size of the model; a setting chooses among rules, as an operator or a version does. Whoever takes the
protocol may give its settings beside its bounds::

    load("kraft", kafka="3.5", acks="1", elr=False)

How they are written with its name on one line stands below, as a reference.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, Self, cast

from epochal.sentences import LONGEST, Given, Sentence, listed

from .bounds import Bounds
from .errors import BoundsError, LanguageError, nearest, require_printable
from .functions import class_line
from .protocol import Protocol

SettingValue = str | int | bool


@dataclass(frozen=True)
class Setting:
    """A setting: `switch` (on or off), `number`, or `text`, perhaps one of `choices`. The help shows `default`."""

    name: str
    kind: Literal["switch", "number", "text"]
    help: str
    default: str
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        texts = (self.name, self.help, self.default, *(self.choices if isinstance(self.choices, tuple) else (None,)))
        fits = all(isinstance(text, str) for text in texts) and self.kind in ("switch", "number", "text")
        if not fits or not self.name.isidentifier():
            raise LanguageError(
                f"{self.name!r} is no setting",
                advice='Write Setting("acks", "text", "what it means", "all", ("0", "1", "all")).',
            )
        for text in (self.name, self.help, self.default, *self.choices):
            require_printable(text, f"a text of the setting {self.name!a}")

    def value(self, said: object) -> SettingValue:
        """What was said, as a value of this setting. Numbers may be texts. Raises BoundsError if it is none."""
        name = Given(self.name)
        if self.kind == "switch":
            if isinstance(said, bool):
                return said
            raise BoundsError((name, f" must be true or false, not {said!r}"))
        text = str(said)
        if self.kind == "number":
            if isinstance(said, str | int) and not isinstance(said, bool) and text.removeprefix("-").isdecimal():
                return int(text[:9])
            raise BoundsError((name, f" must be a whole number, not {text[:LONGEST]!r}"))
        if isinstance(said, bool) or not isinstance(said, str | int | float) or not text.isprintable():
            raise BoundsError((name, f" needs a text, not {said!r}"), advice=("Give ", name, f" a text: {self.help}."))
        if self.choices and text not in self.choices:
            choices = ", ".join(self.choices)
            raise BoundsError((Given(self.name, text[:LONGEST]), f": it must be one of {choices}"))
        return text

    def shown(self, value: SettingValue) -> str:
        """A value for people: `on`, `2`, `all`."""
        return str(value) if self.kind != "switch" else "on" if value else "off"


class WithSmallBounds:
    """A protocol whose defaults take long to search, and that knows smaller bounds."""

    @classmethod
    def small_bounds(cls) -> Mapping[str, int]:
        """Bounds at which whatever must be possible happens, and a search takes seconds; none where defaults do."""
        return {}


class Configurable(WithSmallBounds, Protocol):
    """A protocol that settings configure. `configuration` is what was said when this class was made.

    `configured_from` is then the protocol without those settings, which has a name to load it by.
    """

    declared_settings: ClassVar[tuple[Setting, ...]] = ()
    configuration: ClassVar[Mapping[str, SettingValue]] = {}
    configured_from: ClassVar[type[Protocol] | None] = None

    def __init__(self, bounds: Bounds | None = None, **named: int) -> None:
        super().__init__(bounds, **named)
        self.check_bounds(self.bounds)

    @classmethod
    def configured(cls, configuration: Mapping[str, SettingValue]) -> type[Self]:
        """The protocol that these settings mean; what is left out is as in this one's defaults.

        Raises BoundsError where they contradict each other.
        """
        raise NotImplementedError

    @classmethod
    def has_its_steps(cls) -> bool:
        """Whether it can be made as it is. One that cannot is made by `configured`, even if nobody says a setting."""
        return True

    @classmethod
    def taken_apart(cls) -> Mapping[str, SettingValue]:
        """The settings that make two steps of what is one by default, where they are two here.

        Whatever is compared with it needs them, too.
        """
        return {}

    @classmethod
    def remarks(cls) -> tuple[str, ...]:
        """What whoever reads an answer about the protocol has to know of it, a sentence each."""
        return ()

    @classmethod
    def unheeded(cls) -> tuple[str, ...]:
        """What was said and changes nothing, because what is meant does not heed it: a sentence each."""
        return ()

    @classmethod
    def check_bounds(cls, bounds: Any) -> None:
        """Raise BoundsError if the configuration contradicts the bounds."""


class Reduced:
    """Beside Protocol: a specification that joins effects in one step, which is right for its own rules."""

    @classmethod
    def remarks_if_changed(cls, rules: Iterable[str]) -> tuple[str, ...]:
        """What whoever reads an answer about a copy has to know of it, in which rules of these names are changed."""
        return ()


def settings_of(kind: type[Protocol]) -> dict[str, Setting]:
    """The settings of a protocol by name, in the order of their declaration; none if it is not configurable."""
    if not issubclass(kind, Configurable):
        return {}
    declared: object = kind.declared_settings
    if not isinstance(declared, tuple) or not all(isinstance(one, Setting) for one in declared):
        raise LanguageError(
            f"the declared_settings of {kind.__name__} are no tuple of settings",
            class_line(kind),
            "Write declared_settings = (Setting(...), ...).",
        )
    return {setting.name: setting for setting in kind.declared_settings}


def remarks_on(protocol: Protocol | type[Protocol]) -> tuple[str, ...]:
    """What whoever reads an answer about a protocol has to know of it; nothing if it is not configurable."""
    kind = protocol if isinstance(protocol, type) else type(protocol)
    return kind.remarks() if issubclass(kind, Configurable) else ()


def unheeded_by(protocol: Protocol | type[Protocol]) -> tuple[str, ...]:
    """What was said of a protocol and changes nothing; nothing if it is not configurable."""
    kind = protocol if isinstance(protocol, type) else type(protocol)
    return kind.unheeded() if issubclass(kind, Configurable) else ()


def small_bounds(kind: type[Protocol]) -> Mapping[str, int]:
    """Bounds at which whatever must be possible happens, and a search takes seconds; none where defaults do."""
    return kind.small_bounds() if issubclass(kind, WithSmallBounds) else {}


def configuration_of(protocol: Protocol | type[Protocol]) -> dict[str, SettingValue]:
    """What a protocol was configured with, in the order of the declaration of its settings."""
    kind = protocol if isinstance(protocol, type) else type(protocol)
    if not issubclass(kind, Configurable):
        return {}
    return {name: kind.configuration[name] for name in settings_of(kind) if name in kind.configuration}


def with_configuration(kind: type[Protocol], said: Mapping[str, object]) -> type[Protocol]:
    """The protocol with these settings besides those it was made with. Raises BoundsError for one it does not take."""
    known = settings_of(kind)
    for name in said:
        if name not in known:
            near = nearest(name, known)
            hint: Sentence = ("Did you mean ", Given(near), "?") if near else "It takes none."
            if known and not near:
                hint = ("There are ", *listed(map(Given, known)), ".")
            raise BoundsError((f"{kind.name or kind.__name__} has no setting ", Given(name[:LONGEST])), advice=hint)
    if not issubclass(kind, Configurable):
        return kind
    values = {name: setting.value(said[name]) for name, setting in known.items() if name in said}
    if values.items() <= configuration_of(kind).items() and kind.has_its_steps():
        return kind
    plain = cast("type[Configurable]", without_settings(kind))
    made = plain.configured({**configuration_of(kind), **values})
    made.configured_from = plain
    return made


def beside(kind: type[Protocol], other: type[Protocol]) -> type[Protocol]:
    """The protocol as it is compared with another: what is two steps there is two steps here."""
    return taken_apart_by(kind, taken_apart(other))


def taken_apart(kind: type[Protocol]) -> Mapping[str, SettingValue]:
    """The settings that make two steps of what is one by default, where they are two in a protocol."""
    return kind.taken_apart() if issubclass(kind, Configurable) else {}


def taken_apart_by(kind: type[Protocol], said: Mapping[str, SettingValue]) -> type[Protocol]:
    """The protocol with those of these settings that it knows, unless their steps are two in it already."""
    known, own = settings_of(kind), taken_apart(kind)
    return with_configuration(kind, {name: value for name, value in said.items() if name in known.keys() - own.keys()})


def without_settings(kind: type[Protocol]) -> type[Protocol]:
    """The protocol that settings made `kind` of; `kind` itself if none did."""
    own: type[Protocol] | None = vars(kind).get("configured_from")
    return own or kind


# -- reference --------------------------------------------------------------------------------------------------------
# A reference: a protocol's name and its settings after it, on one line.
#
# Traces, lock files and configuration files name a protocol so, and it is also what one types after `epochal check`::
#
#     kraft --kafka 3.5 --acks 1 --no-elr


MARK: Final = "--"
"""What begins the name of a setting."""

SEPARATOR: Final = f" {MARK}"


def option(name: str) -> str:
    """How a bound or a setting is named: `--min-insync-replicas`."""
    return MARK + name.replace("_", "-")


def negation(name: str) -> str:
    """How a switch is turned off: `--no-elr`."""
    return option(f"no_{name}")


def as_options(configuration: Mapping[str, object]) -> list[str]:
    """Values of bounds and settings: `["--acks", "1", "--no-elr"]`. Those of switches are true and false."""
    parts: list[str] = []
    for name, value in configuration.items():
        parts += [option(name) if value else negation(name)] if isinstance(value, bool) else [option(name), str(value)]
    return parts


def split_reference(reference: str) -> tuple[str, dict[str, object]]:
    """A reference as the name, and what its settings say, unchecked."""
    name, separator, rest = reference.partition(SEPARATOR)
    said: dict[str, object] = {}
    tokens = f"{MARK}{rest}".split() if separator else []
    while tokens:
        token = tokens.pop(0)
        if not token.startswith(MARK):
            raise BoundsError(
                f"{reference!r}: {token!r} belongs to no setting", advice=f"Write NAME {option('SETTING')} VALUE."
            )
        setting, equals, value = token.removeprefix(MARK).partition("=")
        setting = setting.replace("-", "_")
        if equals:
            said[setting] = value
        elif tokens and not tokens[0].startswith(MARK):
            said[setting] = tokens.pop(0)
        elif setting.startswith("no_"):
            said[setting.removeprefix("no_")] = False
        else:
            said[setting] = True
    return name, said


def joined(name: str, said: Mapping[str, SettingValue]) -> str:
    """A reference of a name and settings that are not checked yet, such as those of a table."""
    return " ".join([name, *as_options(said)])


def reference_to(name: str, kind: type[Protocol]) -> str:
    """How a protocol is named with its settings. `name` is its name without them."""
    return joined(name, configuration_of(kind))


def quoted(reference: str) -> str:
    """A reference as it is typed into a shell."""
    name, separator, settings = reference.partition(SEPARATOR)
    return shlex.join([name, *f"{separator}{settings}".split()])
