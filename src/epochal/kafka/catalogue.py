"""The catalogue of known bugs, searched: each entry without its rule, and with it at the same bounds."""

from __future__ import annotations

import dataclasses
import re
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epochal.checker.base.machine import memory_limit
from epochal.checker.liveness.result import LivenessResult
from epochal.checker.search.budget import Deadline
from epochal.checker.search.confirm import replay_all
from epochal.checker.search.engines import Search, local_search
from epochal.checker.search.result import CheckResult, Options, Progress, PropertyResult, Verdict
from epochal.checker.symmetry.canonical import has_identifiers
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.output_folder import trace_name
from epochal.checker.trace.text import markdown
from epochal.checker.trace.trace import Trace
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import Answering, usable_processes
from epochal.errors import ExpectationMissed, Inconclusive, UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS, bugs_of, known_bug
from epochal.spec.bugs.known_bug import KnownBug, references_in
from epochal.spec.language import Member, Protocol
from epochal.spec.language.configurable import as_options
from epochal.spec.language.errors import advice, nearest, of_the_same_number
from epochal.spec.loading import instantiate
from epochal.spec.registry import REGISTRY, registered

NOTE_WIDTH = 110


@dataclass(frozen=True)
class ScenarioResult:
    """What the two searches of an entry found. `trace` is the shortest counterexample, `replayed` where it was."""

    scenario: KnownBug
    faulty: CheckResult
    sound: CheckResult
    trace: Trace | None
    replayed: str

    @property
    def found(self) -> bool:
        """Whether the expected violation was found."""
        return self.trace is not None

    @property
    def exit_code(self) -> int:
        """0 if both sides are as expected, or the code of what is wrong; the sound side first."""
        if (code := judged(self.sound).verdict) == "violated":
            return ExitCode.LIVENESS_VIOLATED if is_liveness(judged(self.sound).member) else ExitCode.VIOLATED
        for side in (self.sound, self.faulty):
            if side.error is not None:
                return ExitCode.EVALUATION_FAILED
            if side.engine_failed:
                return ExitCode.ENGINE_FAILURE
        if not self.found:
            decided = self.faulty.exhaustive and judged(self.faulty).verdict != "not judged"
            return ExitCode.EXPECTATION_MISSED if decided else ExitCode.INCONCLUSIVE
        return ExitCode.HOLDS if code == "holds" and self.sound.exhaustive else ExitCode.INCONCLUSIVE


@dataclass(frozen=True)
class CatalogueProgress:
    """How far a run through the catalogue is: entries done of all, the one in hand, and the states seen so far."""

    done: int
    entries: int
    id: str
    states: int
    seconds: float


def judged(side: CheckResult) -> PropertyResult | LivenessResult:
    """What one side says of the property of its entry, or of its liveness property: the only one that was asked for."""
    found: list[PropertyResult | LivenessResult] = [*side.properties, *side.liveness.promises]
    (one,) = found
    return one


def is_liveness(member: Member) -> bool:
    """Whether it says what must happen in the end."""
    return member.mark.kind == "leads_to"


def asking(bug: KnownBug, protocol: Protocol, options: Options) -> Options:
    """Options to search for the property of an entry. Of states that differ in names only one is searched.

    Not for liveness properties: a representative does not tell who waits.
    """
    name = bug.property_id
    promised = any(one.name == name for one in protocol.members("leads_to"))
    symmetry = bug.interchangeable and has_identifiers(protocol) and not promised
    return replace(options, properties=(name,), liveness=promised, symmetry=symmetry)


def chosen(keys: Iterable[str], entries: Iterable[KnownBug]) -> list[KnownBug]:
    """The entries that are asked for, in the catalogue's order; all of them if none is named.

    `s9` is S9 and its equals in other families (`S9 classic`), `kafka-7128` every entry of that ticket, `kip-320` of
    that KIP, and `3.5` what that version had. Raises UsageError for a key that no entry has.
    """
    every = list(entries)
    said = {key.lower(): key for key in keys}
    wanted = list(said)
    for key in sorted(wanted):
        if not any(_is_called(one, key) for one in every):
            raise UsageError(f"no entry of the catalogue is called {said[key]!r}. {_nearest(key, every)}")
    return [one for one in every if not wanted or any(_is_called(one, key) for key in wanted)]


def _is_called(one: KnownBug, key: str) -> bool:
    """Whether a key means an entry."""
    if re.fullmatch(r"[0-9]+(\.[0-9]+)+", key):
        return one.was_in(key)
    return key in _words(one)


def _words(one: KnownBug) -> tuple[str, ...]:
    """What an entry may be asked for by: its id, the id without the family, its tickets and KIPs."""
    return one.id.lower(), one.id.split()[0].lower(), *(name.lower() for name in one.references())


def _nearest(key: str, every: list[KnownBug]) -> str:
    from epochal.spec.bugs.not_modelled import NOT_MODELLED

    for other in NOT_MODELLED:
        if key in (other.id.lower(), *(name.lower() for name in references_in(other.source))):
            return f"{other.name} is in no model: {other.reason}."
    known = dict.fromkeys([*(one.id for one in every if one.id), *(name for one in every for name in one.references())])
    if re.search("[0-9]", key) is None:
        return advice(key, known, "entries, tickets and KIPs")
    near = nearest(key, of_the_same_number(key, known))
    return f"Did you mean {near}?" if near else "'epochal catalogue --list' has the numbers, tickets and KIPs that are."


def sides(scenario: KnownBug) -> tuple[Protocol, Protocol]:
    """The protocol without the rule, and with it, at the bounds of the entry."""
    bounds = dict(scenario.other_bounds)
    return instantiate(registered(scenario.without_rule), bounds), instantiate(registered(scenario.with_rule), bounds)


def run(
    wanted: list[KnownBug], search: Search, options: Options, report: Callable[[CatalogueProgress], None] | None
) -> Iterator[ScenarioResult]:
    """Search both sides of each entry. Traces are replayed in every semantics before anybody sees them.

    Ends before an entry whose search the user has interrupted.
    """
    began, states = time.monotonic(), 0

    def tell(done: int, id: str, more: int) -> None:
        if report is not None:
            report(CatalogueProgress(done, len(wanted), id, states + more, time.monotonic() - began))

    for done, scenario in enumerate(wanted):

        def inside(now: Progress, done: int = done, id: str = scenario.id) -> None:
            tell(done, id, now.states)

        tell(done, scenario.id, 0)
        results = []
        for protocol in sides(scenario):
            asked = asking(scenario, protocol, replace(options, progress=inside))
            results.append(search(protocol, asked))
            if results[-1].interrupted:
                return
            states += results[-1].distinct_states
        yield _result(scenario, *results)
    if wanted:
        tell(len(wanted), wanted[-1].id, 0)


def _result(scenario: KnownBug, faulty: CheckResult, sound: CheckResult) -> ScenarioResult:
    """The two searches as one result, with the trace as people are to see it."""
    found = judged(faulty)
    if found.trace is None or found.verdict != "violated":
        return ScenarioResult(scenario, faulty, sound, None, "")
    trace = noted(scenario, found.trace)
    replayed = replay_all(faulty.protocol, [trace], faulty.model)
    return ScenarioResult(scenario, faulty, sound, trace, replayed.sentence)


def noted(scenario: KnownBug, trace: Trace) -> Trace:
    """A trace that says which entry of the catalogue it shows; the story is that of its first property alone."""
    about = f"{scenario.name}: {scenario.title}. {scenario.seen_in()}."
    story = scenario.story if trace.property_id == scenario.property_id else ""
    note = "\n".join([about, *textwrap.wrap(story, NOTE_WIDTH)])
    return replace(trace, note=note, facts={**trace.facts, "protocol": scenario.without_rule, "shortest": True})


def exit_code_of(results: Iterable[ScenarioResult], left: int = 0) -> int:
    """The code of the most severe finding: a sound side that is violated, a bug that is not found, a cut.

    `left` counts the entries that were asked for and not searched.
    """
    found = {one.exit_code for one in results}
    order = (
        ExitCode.VIOLATED,
        ExitCode.LIVENESS_VIOLATED,
        ExitCode.EVALUATION_FAILED,
        ExitCode.ENGINE_FAILURE,
        ExitCode.EXPECTATION_MISSED,
    )
    for code in order:
        if code in found:
            return code
    return ExitCode.INCONCLUSIVE if left or ExitCode.INCONCLUSIVE in found else ExitCode.HOLDS


# -- catalogue apart --------------------------------------------------------------------------------------------------
# Entries of the catalogue searched side by side, each in a process of its own on one processor.
#
# What comes back is plain data, and traces as their files have them: the results are those of one process. Liveness
# properties, and what was not searched to its end, are left to the process that asks, which says why.

FEWEST = 4
"""How many entries are worth other processes."""

NOT_PLAIN = ("protocol", "properties", "model", "error", "liveness", "cluster")
"""What a side does not say in plain data; of properties it has one."""


@dataclass(frozen=True)
class Side:
    """One search of an entry: the facts of its result, and of its property the id, verdict and trace (ITF)."""

    facts: dict[str, Any]
    property: str
    verdict: Verdict
    trace: str | None


@dataclass(frozen=True)
class Found:
    """Both searches of an entry, and where the trace was replayed."""

    faulty: Side
    sound: Side
    replayed: str


class EntryAnswering(Answering[str, Found | None]):
    """Searches entries by their names, in a process of its own."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def answer(self, name: str, /) -> Found | None:
        """What both searches of an entry found; None if one was not made to its end."""
        entry = next(one for one in CATALOGUE if one.name == name)
        for result in run([entry], local_search("native"), self._options, None):
            if all(one.exhaustive or one.properties[0].trace for one in (result.faulty, result.sound)):
                return Found(_side(result.faulty), _side(result.sound), result.replayed)
        return None


def searched_in_workers(
    wanted: Sequence[KnownBug], options: Options, report: Callable[[CatalogueProgress], None] | None
) -> Iterator[tuple[int, ScenarioResult]]:
    """Entries with their places, as they are searched: none where processes are not worth it."""
    count = usable_processes(options.workers)
    todo = [(place, one.name) for place, one in enumerate(wanted) if not _promised(one)]
    if count < 2 or len(todo) < FEWEST:
        return
    began, done, states = time.monotonic(), 0, 0
    patience = Deadline(progress=None if report is None else lambda _: tell(""))

    def tell(id: str) -> None:
        if report is not None:
            report(CatalogueProgress(done, len(wanted), id, states, time.monotonic() - began))

    alone = replace(options, workers=1, max_memory=options.max_memory or memory_limit() // count, progress=None)
    with (
        patience.watching("searching entries side by side"),
        apart(Where("local", count), EntryAnswering, len(todo), lambda _: None) as engine,
    ):
        for place, found in engine(alone, todo):
            if found is not None:
                result = _result_apart(wanted[place], found)
                done, states = done + 1, states + result.faulty.distinct_states + result.sound.distinct_states
                yield place, result
            tell(wanted[place].id)


def _promised(entry: KnownBug) -> bool:
    faulty, _ = sides(entry)
    return any(is_liveness(one) for one in faulty.members("leads_to") if one.name == entry.property_id)


def _side(result: CheckResult) -> Side:
    (found,) = result.properties
    names = [field.name for field in dataclasses.fields(CheckResult) if field.name not in NOT_PLAIN]
    trace = None if found.trace is None else dumps(found.trace)
    return Side({name: getattr(result, name) for name in names}, found.member.name, found.verdict, trace)


def _searched(protocol: Protocol, side: Side) -> CheckResult:
    (member,) = (
        one
        for kind in ("invariant", "action_property", "reachable")
        for one in protocol.members(kind)
        if one.name == side.property
    )
    trace = None if side.trace is None else _trace(protocol, side.trace)
    return CheckResult(protocol=protocol, properties=(PropertyResult(member, side.verdict, trace),), **side.facts)


def _trace(protocol: Protocol, text: str) -> Trace:
    return decode(text, lambda _: type(protocol))


def _result_apart(entry: KnownBug, found: Found) -> ScenarioResult:
    """The result that the process has had."""
    faulty, sound = (
        _searched(protocol, side) for protocol, side in zip(sides(entry), (found.faulty, found.sound), strict=True)
    )
    (shown,) = faulty.properties
    if shown.trace is None or shown.verdict != "violated":
        return ScenarioResult(entry, faulty, sound, None, "")
    return ScenarioResult(entry, faulty, sound, noted(entry, shown.trace), found.replayed)


# -- the folder of counterexamples ------------------------------------------------------------------------------------


# -- gallery induction ------------------------------------------------------------------------------------------------
# One counterexample to induction for the folder of known bugs: what such a thing is, on a step that people know.

PROTOCOL = "kip-279-proof"
BOUNDS = {"max_epoch": 1}
STEP = "LeaderExpandsIsr(b1, b2)"
LEMMA = "quorum_isr_holds_what_is_committed"
EXPLANATION = (
    "Record r0 is committed: a leader of epoch 0 had it on its whole ISR. b1, who leads in epoch 1 now, does not know "
    "that yet (its hw is 0), and takes b2 into the ISR because b2 has everything below that hw: nothing. KIP-279 asks "
    "no more, neither in which epoch b2 is nor how old the leader's hw is. Now the controller may elect b2, and r0 is "
    "lost. KIP-320 fences this step, and its proof goes through.\n"
    "A proof looks at one step from any state in which the lemmas hold. This state itself cannot occur; others like it "
    "can, and `epochal check kip-279-proof --max-epoch 1 --lemmas --property quorum_isr_holds_what_is_committed` finds "
    "the shortest run to one. Were there none, a lemma would be missing that excludes the state: this is how the "
    "lemmas of KIP-320 were found."
)


@dataclass(frozen=True)
class InductionEntry:
    """A counterexample to induction in the folder."""

    trace: Trace

    @property
    def file(self) -> str:
        """The name of the trace's file, as `prove --out` calls it."""
        action = self.trace.steps[0].instance.action.name
        return trace_name(PROTOCOL, f"{action}-{self.trace.property_id}")

    @property
    def story(self) -> str:
        """The name of the file with the story."""
        return self.file.removesuffix(".itf.json") + ".md"

    def files(self, folder: str) -> dict[str, str]:
        """The trace and its story, by file name. `folder` is for the commands in the story."""
        return {self.file: dumps(self.trace), self.story: markdown(self.trace, f"{folder}/{self.file}")}

    def section(self) -> list[str]:
        """What the index says of it."""
        links = f"[ITF]({self.file}), [story]({self.story})"
        return [
            "## A counterexample to induction",
            "",
            f"`{STEP}` of `{PROTOCOL}`, max_epoch {BOUNDS['max_epoch']}, does not preserve `{LEMMA}`: {links}.",
            "",
            *EXPLANATION.split("\n"),
            "",
        ]


def induction_entry() -> InductionEntry:
    """Ask for the counterexample. Raises EpochalError if there is none any more."""
    from epochal.checker.base.installed import require_solver

    require_solver()
    from epochal.checker.solver.induction import RLIMIT, Induction, Stopwatch, prepared, result_of, with_reach
    from epochal.checker.solver.prove import FIRST_STATES

    protocol = instantiate(registered(PROTOCOL), BOUNDS)
    induction = Induction(prepared(protocol, None), RLIMIT)
    claim = next(claim for claim in induction.claims if claim.member.name == LEMMA)
    instance = next(one for one in protocol.instances if one.label == STEP)
    watch = Stopwatch()
    answers = [a for a in induction.steps({instance.number: (claim,)}) if a.obligation.column == LEMMA]
    trace = with_reach(result_of(induction, answers, watch), FIRST_STATES).answers[0].trace
    if trace is None:
        raise ExpectationMissed(f"the step {STEP} of {PROTOCOL} preserves {LEMMA}, which it should not")
    told = {**trace.facts, "protocol": PROTOCOL}
    return InductionEntry(replace(trace, note=f"{trace.note}\n{EXPLANATION}", facts=told))


Report = Callable[[str], None]

INDEX = "README.md"
HEADER = ("bug (ID)", "what happens", "also", "Kafka", "protocol", "property", "states", "trace")


def trace_file(protocol: str, property_id: str, bounds: Iterable[tuple[str, int]] = ()) -> str:
    """The name of the file with the shortest run that breaks a property, within bounds that are not the defaults."""
    return trace_name(protocol, property_id + "".join(f"-{name}-{value}" for name, value in bounds))


@dataclass(frozen=True)
class Searched:
    """A protocol that is searched: its registered name, the bounds that are not the defaults, and the instance."""

    name: str
    bounds: tuple[tuple[str, int], ...]
    protocol: Protocol


@dataclass(frozen=True)
class Entry:
    """One violated property: where it was found, its shortest run, and what is known of the bug."""

    searched: Searched
    bug: KnownBug | None
    member: Member
    trace: Trace

    @property
    def file(self) -> str:
        """The name of the trace's file; bounds that are not the defaults are part of it."""
        return trace_file(self.searched.name, self.member.name, self.searched.bounds)

    @property
    def story(self) -> str:
        """The name of the file with the story."""
        return self.file.removesuffix(".itf.json") + ".md"


@dataclass(frozen=True)
class Shown:
    """An entry of the catalogue, and the run that shows it."""

    scenario: KnownBug
    entry: Entry


def everything() -> list[Searched]:
    """Every registered protocol at its default bounds, and at the other bounds that a known bug needs.

    One with lemmas is left out: it is another one with history, and has the bugs of that one.
    """
    at_defaults = [(name, ()) for name in REGISTRY if not registered(name).members("lemma")]
    wanted = at_defaults + [
        (bug.without_rule, bug.other_bounds) for bug in KNOWN_BUGS if bug.other_bounds and bug.without_rule in REGISTRY
    ]
    return [
        Searched(name, bounds, instantiate(registered(name), dict(bounds))) for name, bounds in dict.fromkeys(wanted)
    ]


def entries_of(searched: Searched, result: CheckResult) -> list[Entry]:
    """The violations in the result of a search with --all-violations, in the order of the properties.

    At bounds that are not the defaults only those that a known bug asks for; and of liveness properties only these,
    because one that is broken where records are lost is no bug of its own.
    """
    if result.cut or result.error is not None:
        why = result.error.message if result.error is not None else result.cut
        raise Inconclusive(f"the search of {searched.name} did not see every state: {why}")
    facts: dict[str, str | int | bool] = {"protocol": searched.name, "shortest": True}
    found = []
    judged: list[PropertyResult | LivenessResult] = [*result.properties, *result.liveness.promises]
    for one in judged:
        bug = known_bug(searched.name, one.member.name, searched.bounds)
        wanted = bug is not None or not (searched.bounds or is_liveness(one.member))
        if one.trace is not None and one.verdict == "violated" and wanted:
            trace = replace(one.trace, facts=facts)
            found.append(Entry(searched, bug, one.member, trace if bug is None else noted(bug, trace)))
    return found


def found_entries(wanted: Iterable[Searched], search: Search, report: Report) -> list[Entry]:
    """Search for all violations. `report` is called with the name of each protocol before it is searched."""
    found = []
    for searched in wanted:
        report(searched.name)
        promised = {one.name for one in searched.protocol.members("leads_to")}
        known = {name for bug in bugs_of(searched.name) for name in bug.properties}
        options = Options(all_violations=True, liveness=bool(promised & known))
        found += entries_of(searched, search(searched.protocol, options))
    return found


def shown_by(scenarios: Iterable[KnownBug], entries: Iterable[Entry], search: Search, report: Report) -> list[Shown]:
    """The run that shows each scenario: one that was found already, or else one that is searched for now.

    Of those that differ in the names of brokers only, one state is searched. Fails if a scenario is not violated.
    """
    known = {(e.searched.name, e.searched.bounds, e.member.name): e for e in entries}
    shown = []
    for one in scenarios:
        entry = known.get((one.without_rule, one.other_bounds, one.property_id))
        if entry is None:
            report(f"{one.name}, {one.without_rule}")
            protocol = instantiate(registered(one.without_rule), dict(one.other_bounds))
            result = search(protocol, asking(one, protocol, Options()))
            found = judged(result)
            if found.trace is None or found.verdict != "violated":
                why = result.error.message if result.error is not None else result.cut or "it holds"
                raise ExpectationMissed(f"{one.name} was not found: {one.property_id} of {one.without_rule}: {why}")
            searched = Searched(one.without_rule, one.other_bounds, protocol)
            entry = Entry(searched, one, found.member, noted(one, found.trace))
        shown.append(Shown(one, entry))
    return shown


def missing_bugs(entries: Iterable[Entry], wanted: Iterable[Searched]) -> list[str]:
    """The known bugs of what was searched that were not found, as `protocol: property`."""
    seen = {(e.searched.name, e.searched.bounds, e.member.name) for e in entries}
    searched = {(one.name, one.bounds) for one in wanted}
    return [
        " ".join([f"{bug.without_rule}: {name}", *as_options(dict(bug.other_bounds))])
        for bug in KNOWN_BUGS
        if (bug.without_rule, bug.other_bounds) in searched
        for name in bug.properties
        if (bug.without_rule, bug.other_bounds, name) not in seen
    ]


def rendered(
    entries: Iterable[Entry], folder: str, induction: InductionEntry | None = None, shown: Iterable[Shown] = ()
) -> dict[str, str]:
    """The whole folder: content by file name. `folder` is its name, for the commands in the stories.

    `induction` is a counterexample to induction that stands beside the runs, `shown` the catalogue, whose runs may be
    among the entries.
    """
    found = list(entries)
    found += [one.entry for one in shown if one.entry not in found]
    files = {} if induction is None else induction.files(folder)
    for entry in found:
        files[entry.file] = dumps(entry.trace)
        files[entry.story] = markdown(entry.trace, f"{folder}/{entry.file}")
    return {INDEX: _index(sorted(found, key=_place), folder, induction), **files}


def _place(entry: Entry) -> tuple[int, int]:
    """Where an entry stands in the index: by its bug, then by the property; those of no known bug last."""
    if entry.bug is None:
        return len(KNOWN_BUGS), 0
    return KNOWN_BUGS.index(entry.bug), entry.bug.properties.index(entry.member.name)


def _index(entries: list[Entry], folder: str, induction: InductionEntry | None) -> str:
    lines = [*HEAD, *(_row(_cells(entry)) for entry in entries), ""]
    if induction is not None:
        lines += induction.section()
    if entries:
        first = f"{folder}/{entries[0].file}"
        lines += ["```sh", f"epochal replay {first}", f"epochal trace export {first} --to mermaid", "```", ""]
    return "\n".join(lines)


def _bounds(entry: Entry) -> str:
    return "".join(f", {name} {value}" for name, value in entry.searched.bounds)


def _links(entry: Entry) -> str:
    return f"[ITF]({entry.file}), [story]({entry.story})"


def _cells(entry: Entry) -> tuple[str, ...]:
    bug = entry.bug
    about = ("-", entry.member.sentence, "-", "-")
    if bug is not None:
        about = (bug.name, bug.title, bug.also or "-", bug.versions)
    protocol = f"`{entry.searched.name}`{_bounds(entry)}"
    return (*about, protocol, f"`{entry.member.name}`", str(entry.trace.length), _links(entry))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


HEAD = (
    "# Known bugs of Kafka's replication protocol, as shortest runs",
    "",
    "Generated by `epochal counterexamples`; do not edit. Each trace is a shortest run that breaks the property, at",
    "the default bounds of its protocol or at those that are named; `states` is its length. A trace is a file in",
    "the Informal Trace Format, and beside it stands the same as a story.",
    "",
    "`epochal catalogue ID` searches each bug that a single rule tells from a sound protocol: `kraft-s10` is the",
    "newest protocol without the rule of KAFKA-18991 (S10), and `kraft-s10-fixed` the same with it, where the property",
    "holds in every state.",
    "",
    _row(HEADER),
    _row("---" for _ in HEADER),
)


def differing(folder: Path, files: Mapping[str, str]) -> list[str]:
    """What in a folder is not as it should be, one line a file: missing, out of date, or no longer generated.

    The version of the tool that wrote a trace does not count.
    """
    found = []
    for name, text in files.items():
        path = folder / name
        if not path.is_file():
            found.append(f"{name}: missing")
        elif _comparable(path.read_text(encoding="utf-8", errors="replace")) != _comparable(text):
            found.append(f"{name}: out of date")
    return found + [f"{name}: no longer generated" for name in stale(folder, files)]


def stale(folder: Path, files: Mapping[str, str]) -> list[str]:
    """The traces and stories in a folder that are no longer generated."""
    if not folder.is_dir():
        return []
    generated = (p.name for p in folder.iterdir() if p.name.endswith((".itf.json", ".md")))
    return sorted(name for name in generated if name not in files)


def _comparable(text: str) -> str:
    return re.sub(r'^(\s*"version": )".*"', r'\1""', text, flags=re.MULTILINE)
