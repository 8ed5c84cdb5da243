"""The folder of known protocol bugs: for each violated property of each registered protocol its shortest run.

The content is the same whichever engine finds it, so no file names the engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from epochal.checker.liveness.result import LivenessResult
from epochal.checker.search.result import CheckResult, Options, PropertyResult
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.output_folder import trace_name
from epochal.checker.trace.text import markdown
from epochal.checker.trace.trace import Trace
from epochal.errors import ExpectationMissed, Inconclusive
from epochal.spec.bugs.catalogue import KNOWN_BUGS, bugs_of, known_bug
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.language import Member, Protocol
from epochal.spec.language.configurable import as_options
from epochal.spec.loading import instantiate
from epochal.spec.registry import REGISTRY, registered

from . import catalogue
from .catalogue import asking, is_liveness, noted

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


Search = Callable[[Protocol, Options], CheckResult]
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
            found = catalogue.judged(result)
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
