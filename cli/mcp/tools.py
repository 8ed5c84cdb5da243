"""The tools: what each takes, as a type that is its schema too, and which query of the API answers it.

The server reads the arguments, and the process of a call (`worker`) asks the query. Nothing here knows MCP.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from epochal.checker.base.permitted import require_permitted
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode

MOST_FILES = 100_000
"""How many files and folders are looked at below the paths that a tool is given."""

DEEPEST = 200
"""How many folders may lie one in the other."""

Given = dict[str, bool | int | str]
"""Bounds and settings by name."""

ProtocolName = Annotated[
    str,
    msgspec.Meta(
        description="A registered protocol ('kip-320', 'kraft', 'kraft --kafka 3.9': the tool show lists them), or "
        "path/to/file.py:Name below a folder that the server may run.",
        min_length=1,
        max_length=4_000,
    ),
]
Bounds = Annotated[
    Given,
    msgspec.Meta(
        description='Bounds of the protocol and, of a configurable one, settings, by name: {"replicas": 3}, '
        '{"kafka": "4.1", "min_insync_replicas": 1}. The tool show names them; others have their defaults.'
    ),
]
Seconds = Annotated[
    Annotated[float, msgspec.Meta(gt=0)] | None,
    msgspec.Meta(description="Seconds of wall time; at most, and by default, what the server allows a call."),
]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]
Paths = Annotated[
    list[Text],
    msgspec.Meta(
        description="Files and folders below a folder that the server may read.", min_length=1, max_length=200
    ),
]


class Tool(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The arguments of a tool. The docstring of a subclass is what the tool is for."""

    def read(self) -> list[str]:
        """The files and folders that are read, and not run."""
        return []

    def answer(self, asked: Asked) -> Answer:
        """Ask the query."""
        raise NotImplementedError


@dataclass(frozen=True)
class Asked:
    """What a call may use: seconds and bytes; `report` hears how far it is, in words."""

    seconds: float
    memory: int
    report: Callable[[Callable[[Any], str], Any], None]

    def limits(self, seconds: float | None) -> dict[str, Any]:
        """The time that a call asks for, within what it may use."""
        return {"budget": min(self.seconds, seconds or self.seconds)}


@dataclass(frozen=True)
class Answer:
    """The report for people, the document of `--format json`, and how it ended."""

    text: str
    document: Mapping[str, Any] | None
    exit_code: ExitCode
    headline: str


def of_result(result: Any) -> Answer:
    """The answer of a result of the API."""
    return Answer(str(result), result.to_dict(), result.exit_code, result.headline)


class CheckTool(Tool, kw_only=True):
    """Explore every reachable state of a protocol within its bounds and check every property. The report has a shortest
    counterexample as a story. Exit code 0: all holds within these bounds; 12: a property is violated; 13: a liveness
    property; 22: something never happens, so the verdict means little; 30: the time was spent before all was seen."""

    protocol: ProtocolName
    bounds: Bounds = {}
    properties: Annotated[
        list[Text],
        msgspec.Meta(description="Only these, by name; path/to/file.py:function asks a property of your own."),
    ] = []
    all_violations: Annotated[bool, msgspec.Meta(description="Go on after the first violation.")] = False
    symmetry: Annotated[bool, msgspec.Meta(description="States that differ by names of replicas count once.")] = False
    deadlock: Annotated[bool, msgspec.Meta(description="Check for states where nothing more happens, too.")] = False
    max_states: Annotated[
        Annotated[int, msgspec.Meta(gt=0)] | None, msgspec.Meta(description="Stop after so many states.")
    ] = None
    budget: Seconds = None

    def answer(self, asked: Asked) -> Answer:
        return of_result(self.searched(asked))

    def searched(self, asked: Asked) -> Any:
        """The result of the search. Traces of what must be reachable stay out: they are most of a document."""
        from epochal.api.check import check
        from epochal.report.progress import SEARCH

        limits = asked.limits(self.budget)
        protocol, named = _loaded(self.protocol, self.bounds, self.properties, asked)
        return check(
            protocol,
            reference=_reference(self.protocol, protocol),
            properties=named or None,
            all_violations=self.all_violations,
            symmetry=self.symmetry,
            deadlock=self.deadlock,
            max_states=self.max_states,
            max_memory=asked.memory,
            witnesses=False,
            progress=partial(asked.report, SEARCH.in_words),
            **limits,
        )


class ShowTool(Tool, kw_only=True):
    """Show a protocol: its purpose, bounds, settings, state, actions, the rules that a variant may replace, and
    properties, each with its line in the source. Without a protocol: list all registered protocols."""

    protocol: Annotated[str, msgspec.Meta(description="As in check. Empty: list them all.", max_length=4_000)] = ""
    bounds: Bounds = {}

    def answer(self, asked: Asked) -> Answer:
        from epochal.report import protocol as told

        if not self.protocol:
            from epochal.spec.registry import REGISTRY

            names = list(REGISTRY)
            return Answer(_page(told.render_list, names), told.list_document(names), ExitCode.HOLDS, "the protocols")
        found, _ = _loaded(self.protocol, self.bounds, [], asked)
        name = _reference(self.protocol, found)
        return Answer(
            _page(told.render_protocol, found, name), told.protocol_document(found, name), ExitCode.HOLDS, name
        )


class ExplainTool(Tool, kw_only=True):
    """Explain a word: an exit code, property, action, rule, bound or setting, a KIP or ticket of Kafka (KIP-320,
    KAFKA-18106), an error of a client, or an operator's words ("one broker loses its disk")."""

    words: Text

    def answer(self, asked: Asked) -> Answer:
        from epochal.kafka.explain import explanations
        from epochal.report.meanings import meanings_document, render_meanings

        found = explanations(self.words)
        return Answer(_page(render_meanings, found), meanings_document(found), ExitCode.HOLDS, found[0].heading)


class GuaranteesTool(Tool, kw_only=True):
    """Say what Kafka guarantees under which faults (crash, power loss, fencing, unclean election), decided by search:
    a release as it was shipped beside its design. A change is a protocol of your own that derives from kraft."""

    protocol: ProtocolName = "kraft"
    bounds: Bounds = {}
    faults: Annotated[
        list[Text],
        msgspec.Meta(
            description="Only these, by id: none, clean, two-clean, fencing, lossy-spared, lossy, lossy-and-clean, "
            "two-lossy, unclean; or a budget of your own, 'crashes=2,lossy_crashes=1'."
        ),
    ] = []
    versions: Annotated[list[Text], msgspec.Meta(description="Two versions to compare.", max_length=2)] = []
    against: Annotated[str | None, msgspec.Meta(description="Only what differs from this protocol: 'kraft'.")] = None
    causes: Annotated[bool, msgspec.Meta(description="Say which known bugs are behind each broken guarantee.")] = False
    recovery: Annotated[bool, msgspec.Meta(description="Say what comes back after a fault.")] = False
    stories: Annotated[bool, msgspec.Meta(description="Tell the shortest run of each broken guarantee.")] = False
    budget: Seconds = None

    def answer(self, asked: Asked) -> Answer:
        from epochal.api.guarantees import guarantees, refuse_budgets
        from epochal.report.progress import SEARCH
        from epochal.spec.kraft.guarantees import BOUNDS

        limits = asked.limits(self.budget)
        refuse_budgets(self.bounds)
        protocol, _ = _loaded(self.protocol, self.bounds, [], asked, BOUNDS)
        return of_result(
            guarantees(
                protocol,
                faults=self.faults,
                versions=self.versions,
                against=self.against,
                causes=self.causes,
                recovery=self.recovery,
                stories=self.stories,
                progress=partial(asked.report, SEARCH.in_words),
                **limits,
            )
        )


class CatalogueTool(Tool, kw_only=True):
    """Search the known bugs of Kafka's replication, each without its rule and with it, within the same bounds. A key is
    a ticket (KAFKA-18106), a KIP, a number of the catalogue (S15, N2) or a version of Kafka (3.5)."""

    keys: Annotated[list[Text], msgspec.Meta(description="Which bugs. Empty: all, which takes minutes to search.")] = []
    listed: Annotated[bool, msgspec.Meta(description="Only list them, and search nothing.")] = False
    budget: Seconds = None

    def answer(self, asked: Asked) -> Answer:
        from epochal.api.catalogue import TELLING, catalogue

        report = partial(asked.report, TELLING.in_words)
        limits = asked.limits(self.budget)
        return of_result(catalogue(*self.keys, listed=self.listed, max_memory=asked.memory, progress=report, **limits))


class ConformTool(Tool, kw_only=True):
    """Check whether the files that Kafka left behind (metadata log, state-change.log, server.log, log directories) are
    a run of the specification. Exit code 0: accepted; 20: something is refused: the report says what was expected."""

    paths: Paths
    kafka: Annotated[Text | None, msgspec.Meta(description="The version whose rules apply; as logs say.")] = None
    protocol: ProtocolName = "kraft"
    budget: Seconds = None

    def read(self) -> list[str]:
        return self.paths

    def answer(self, asked: Asked) -> Answer:
        from epochal.api.conform import TELLING, conform

        report = partial(asked.report, TELLING.in_words)
        limits = asked.limits(self.budget)
        return of_result(
            conform(*dict.fromkeys(self.paths), kafka=self.kafka, protocol=self.protocol, progress=report, **limits)
        )


class AuditTool(Tool, kw_only=True):
    """Say what a cluster guarantees to each of its topics, and what to change, from the outputs of Kafka's tools,
    server.properties, Strimzi resources, Terraform plans and the like. No cluster is connected to. Exit code 0: no
    errors; 12: settings lose acknowledged records; 20: the policy is violated; 30: answers are open."""

    paths: Paths
    kafka: Annotated[Text | None, msgspec.Meta(description="The release, where no file says it.")] = None
    policy: Annotated[Text | None, msgspec.Meta(description="A TOML file with what must be kept.")] = None
    what_if: Annotated[
        list[Text], msgspec.Meta(description="Changes to try: 'topic:orders:min.insync.replicas=2'.")
    ] = []
    may: Annotated[
        list[Text], msgspec.Meta(description="Questions of the day: 'stop:3', 'stop:any=2', 'power:rack=a', 'roll'.")
    ] = []
    diff: Annotated[Text | None, msgspec.Meta(description="The files of the cluster before.")] = None
    searches: Annotated[bool, msgspec.Meta(description="Search what is not decided yet.")] = True
    budget: Seconds = None

    def read(self) -> list[str]:
        return [*self.paths, *(one for one in (self.policy, self.diff) if one is not None)]

    def answer(self, asked: Asked) -> Answer:
        from epochal.api.audit import audit
        from epochal.report.progress import SEARCH

        return of_result(
            audit(
                *dict.fromkeys(self.paths),
                kafka=self.kafka,
                policy=self.policy,
                what_if=self.what_if,
                may=self.may,
                diff=self.diff,
                searches=self.searches,
                progress=partial(asked.report, SEARCH.in_words),
                **asked.limits(self.budget),
            )
        )


class CounterexampleTool(Tool, kw_only=True):
    """Find a shortest run that breaks a property, and tell it step by step. The document is the trace in ITF, which
    `epochal replay` takes. `of` is a known bug by its key (S15, KAFKA-18106), or a protocol as in check."""

    of: ProtocolName
    property: Annotated[Text | None, msgspec.Meta(description="Which property of the protocol. Default: any.")] = None
    bounds: Bounds = {}
    form: Annotated[
        Literal["story", "markdown", "mermaid", "plantuml", "dot"], msgspec.Meta(description="How the text tells it.")
    ] = "story"
    budget: Seconds = None

    def answer(self, asked: Asked) -> Answer:
        from epochal.checker.trace.formats import exported
        from epochal.checker.trace.itf import encode
        from epochal.spec.loading import names_protocol

        if names_protocol(self.of):
            named = [] if self.property is None else [self.property]
            check = CheckTool(protocol=self.of, bounds=self.bounds, properties=named, budget=self.budget)
            result = check.searched(asked)
        elif self.bounds or self.property:
            raise UsageError("a known bug has its own bounds and property: give them for a protocol")
        else:
            result = _one_bug(self.of, asked, asked.limits(self.budget))
        run = result.counterexample
        if run is None:
            return Answer(f"{result.headline}\nThere is no run to tell.", None, result.exit_code, result.headline)
        text = str(run) if self.form == "story" else exported(run, self.form)
        return Answer(text, encode(run), result.exit_code, result.headline)


TOOLS: Final[Mapping[str, type[Tool]]] = {
    "check": CheckTool,
    "show": ShowTool,
    "explain": ExplainTool,
    "guarantees": GuaranteesTool,
    "catalogue": CatalogueTool,
    "conform": ConformTool,
    "audit": AuditTool,
    "counterexample": CounterexampleTool,
}


def _one_bug(key: str, asked: Asked, limits: Mapping[str, Any]) -> Any:
    from epochal.api.catalogue import TELLING, catalogue

    entries = catalogue(key, listed=True).entries
    if len(entries) != 1:
        several = ", ".join(entry.id for entry in entries[:20])
        raise UsageError(f"{key} names {len(entries)} known bugs, and a run is of one", f"Give one of {several}.")
    report = partial(asked.report, TELLING.in_words)
    return catalogue(key, max_memory=asked.memory, progress=report, **limits)


def _loaded(
    reference: str, given: Given, properties: list[str], asked: Asked, usual: Mapping[str, int] | None = None
) -> tuple[Any, tuple[str, ...]]:
    """The protocol with what was given, and the names of the properties. `usual` are a query's own defaults."""
    from epochal.checker.search.budget import Deadline
    from epochal.spec.loading import instantiate, is_question, kind_and_bounds, with_questions

    questions = [one for one in properties if is_question(one)]
    with Deadline(asked.seconds, asked.memory).watching(f"loading {reference}"):
        kind, bounds = kind_and_bounds(reference, given)
        kind = with_questions(kind, questions)
        declared = kind.bounds_type().declared()
        defaults = {name: min(most, declared[name].most) for name, most in (usual or {}).items() if name in declared}
        protocol = instantiate(kind, {**defaults, **bounds})
    return protocol, tuple(one.rpartition(":")[2] if one in questions else one for one in properties)


def _reference(name: str, protocol: Any) -> str:
    """How a protocol was called, with the settings that were given."""
    from epochal.spec.language.configurable import reference_to, split_reference

    return reference_to(split_reference(name)[0], type(protocol))


def _page(render: Callable[..., None], *about: Any) -> str:
    import io

    from epochal.report.page import PlainPage

    text = io.StringIO()
    render(PlainPage(text), *about)
    return text.getvalue().rstrip("\n")


# -- files ------------------------------------------------------------------------------------------------------------
# What is read stands below a folder that the server was given, also after symbolic links. The readers refuse the rest
# when they open it (`permitted`); here it is refused by name, before anything is read.


def require_readable(paths: list[str]) -> None:
    """Raise UsageError for a path that may not be read, whether it exists or not, for one that has links below it which
    lead elsewhere or in a circle, and for too many files."""
    seen = 0
    for path in dict.fromkeys(paths):
        if not path.isprintable():
            raise UsageError(f"{path!a} is no path: it has characters that cannot be shown")
        require_permitted(Path(path))
        folders = [(path, 0)]
        while folders:
            folder, depth = folders.pop()
            if depth > DEEPEST:
                raise UsageError(f"more than {DEEPEST} folders lie one in the other below {path}")
            for one in _entries(folder):
                seen += 1
                if seen > MOST_FILES:
                    told = f"there are more than {MOST_FILES:,} files and folders in what is to be read"
                    raise UsageError(told, "Name those that are meant.")
                if one.is_symlink():
                    require_permitted(Path(one.path))
                elif one.is_dir(follow_symlinks=False):
                    folders.append((one.path, depth + 1))


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """What is in a folder; nothing if it is none, or may not be listed: who reads it says so."""
    with suppress(OSError), os.scandir(folder) as found:
        yield from found
