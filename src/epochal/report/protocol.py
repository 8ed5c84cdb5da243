"""A protocol for people: what it is, its bounds, state, actions and properties, and how large it is."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Sequence

from epochal.checker.base.numbers import counted
from epochal.checker.documents import document
from epochal.checker.ir.layout import Field, Layout, lay_out
from epochal.checker.parametric.domains import Untranslatable
from epochal.checker.parametric.rules import ParametricSemantics, obstacles
from epochal.checker.semantics.properties import all_properties, liveness
from epochal.spec.bugs.catalogue import bugs_of
from epochal.spec.language import Member, Protocol
from epochal.spec.language.configurable import SEPARATOR, Configurable, configuration_of, option, quoted, settings_of
from epochal.spec.language.domains import (
    Domain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    SetDomain,
    StructDomain,
    UnionDomain,
)
from epochal.spec.language.marks import Kind, Mark
from epochal.spec.language.members import Variable
from epochal.spec.language.rules import rules_of
from epochal.spec.registry import FAMILIES, PROOFS, START, family_of, registered

from . import kafka_documents as documents
from .page import KINDS, Page


def summary(protocol: type[Protocol]) -> str:
    """The first sentence of the class's docstring."""
    paragraphs = (inspect.getdoc(protocol) or "").split("\n\n")
    return " ".join(paragraphs[0].split())


def render_list(page: Page, names: Sequence[str]) -> None:
    """Protocols by family, a line each, after those to start with."""
    begin = [(name, why) for name, why in START.items() if name in names]
    if begin:
        page.line("Start here", "title")
        page.table(begin)
        page.line()
    families = dict.fromkeys(sorted(map(family_of, names), key=list(FAMILIES).index))
    for number, family in enumerate(families):
        if number:
            page.line()
        page.line(f"{family}: {FAMILIES[family]}", "title")
        page.table([(name, summary(registered(name))) for name in names if family_of(name) == family])
    if "kraft" in names:
        page.line()
        page.line(
            "kraft-s1 and so on are kraft without the rule of one known bug, kraft-s1-fixed with it at the same bounds:"
        )
        page.verbatim("epochal catalogue --list", indent=0)


def list_document(names: Sequence[str]) -> documents.Protocols:
    """The same as one JSON object. `start` says why to start with a protocol; null for others."""
    return document(
        documents.Protocols,
        exit_code=0,
        families=[{"family": family, "title": title} for family, title in FAMILIES.items()],
        protocols=[
            {
                "protocol": name,
                "family": family_of(name),
                "summary": summary(registered(name)),
                "start": START.get(name),
                "proof": PROOFS.get(name),
            }
            for name in names
        ],
    )


def render_protocol(page: Page, protocol: Protocol, reference: str) -> None:
    """Everything that `show` says."""
    page.line(protocol.name, "title")
    told = inspect.getdoc(type(protocol)) or ""
    if told not in (inspect.getdoc(Protocol), inspect.getdoc(Configurable)):  # inherited: it says nothing of this one
        if configuration_of(protocol):
            _, separator, settings = quoted(reference).partition(SEPARATOR)
            page.line(f"Under{separator}{settings}. Without that it is:", indent=2)
        for paragraph in told.split("\n\n"):
            page.line(" ".join(paragraph.split()), indent=2)
    _bugs(page, reference)
    _bounds(page, protocol)
    _settings(page, type(protocol))
    _state(page, protocol)
    _actions(page, protocol)
    _rules(page, type(protocol))
    page.title("Properties")
    members = [*all_properties(protocol, lemmas=True), *protocol.members("constraint")]
    page.table([(m.name, _kind(protocol, m), (str(m.where), "faint"), m.sentence) for m in members])
    if not members:
        page.line("none", "faint", indent=2)
    _liveness(page, protocol)
    _size(page, protocol)
    page.line()
    page.verbatim(f"Next: epochal check {quoted(reference)}", "faint", indent=0)


def protocol_document(protocol: Protocol, reference: str) -> documents.Show:
    """The same as one JSON object."""
    kind, layout, said = type(protocol), lay_out(protocol.leaves), configuration_of(type(protocol))
    steps = Counter(instance.action.name for instance in protocol.instances)
    judged = [*all_properties(protocol, lemmas=True), *protocol.members("constraint")]
    return document(
        documents.Show,
        protocol=protocol,
        reference=reference,
        configuration=protocol,
        bounds=protocol.bounds,
        exit_code=0,
        told=inspect.getdoc(kind) or "",
        known_bugs=[bug.name for bug in bugs_of(reference)],
        declared_bounds=[
            {
                "bound": name,
                "value": getattr(protocol.bounds, name),
                "default": field.default,
                "least": field.least,
                "most": field.most,
                "counts": field.help,
            }
            for name, field in kind.bounds_type().declared().items()
        ],
        settings=[
            {
                "setting": name,
                "value": setting.shown(said[name]) if name in said else None,
                "default": setting.default,
                "means": setting.help,
            }
            for name, setting in settings_of(kind).items()
        ],
        state=[
            {
                "variable": name,
                "bits": sum(field.bits for field in _fields(layout, variable)),
                "domain": str(variable.domain),
                "ghost": variable.ghost,
            }
            for name, variable in protocol.variables.items()
        ],
        actions=[
            document(
                documents.ShownAction,
                action,
                parameters=[parameter.name for parameter in protocol.parameters(action.function)],
                choices=steps[action.name],
            )
            for action in protocol.members("action")
        ],
        rules=[document(documents.ShownRule, rule) for rule in rules_of(kind)],
        properties=[
            *(document(documents.ShownProperty, one, kind=_kind(protocol, one), fair=[]) for one in judged),
            *(
                document(documents.ShownProperty, one, kind="liveness", fair=one.mark.needs)
                for one in liveness(protocol)
            ),
        ],
        state_bits=layout.bits,
        instances=len(protocol.instances),
    )


def _kind(protocol: Protocol, member: Member) -> str:
    return KINDS[member.mark.kind] if protocol.applies(member) else "must not happen here"


def _bugs(page: Page, reference: str) -> None:
    bugs = bugs_of(reference)
    if not bugs:
        return
    page.title("Known bugs")
    page.table(
        [(bug.name, bug.versions, bug.also, ", ".join(bug.properties), bug.title) for bug in bugs],
        header=("BUG", "KAFKA", "ALSO", "BREAKS", "WHAT HAPPENS"),
    )


def _bounds(page: Page, protocol: Protocol) -> None:
    declared = protocol.bounds_type().declared()
    if not declared:
        return
    page.title("Bounds")
    page.table(
        [
            (option(n), str(getattr(protocol.bounds, n)), str(f.default), f"{f.least} to {f.most}", f.help)
            for n, f in declared.items()
        ],
        header=("OPTION", "VALUE", "DEFAULT", "ALLOWED", "WHAT IT COUNTS"),
        right=(1, 2),
    )


def _settings(page: Page, kind: type[Protocol]) -> None:
    settings, said = settings_of(kind), configuration_of(kind)
    if not settings:
        return
    page.title("Configuration")
    page.table(
        [
            (option(name), setting.shown(said[name]) if name in said else "", setting.default, setting.help)
            for name, setting in settings.items()
        ],
        header=("OPTION", "VALUE", "DEFAULT", "WHAT IT MEANS"),
    )


def _state(page: Page, protocol: Protocol) -> None:
    page.title("State")
    layout = lay_out(protocol.leaves)
    rows = []
    for name, variable in protocol.variables.items():
        fields = _fields(layout, variable)
        ghost = "history, for properties only" if variable.ghost else ""
        rows.append((name, counted(sum(f.bits for f in fields), "bit"), str(variable.domain), ghost))
    page.table(rows)
    records: dict[str, StructDomain] = {}
    for variable in protocol.variables.values():
        _collect_records(variable.domain, records)
    if records:
        page.title("Records in it")
    for name, record in records.items():
        page.line(
            f"{name}: {', '.join(f'{field} {domain}' for field, domain in record.field_domains.items())}", indent=2
        )


def _fields(layout: Layout, variable: Variable) -> Sequence[Field]:
    """Where a part of the state is in the words of a state."""
    return layout.fields[variable.first_leaf : variable.first_leaf + variable.domain.leaf_count]


def _collect_records(domain: Domain, into: dict[str, StructDomain]) -> None:
    """The record types inside a domain, outermost first."""
    if isinstance(domain, StructDomain):
        if domain.type.__name__ in into:
            return
        into[domain.type.__name__] = domain
        parts = list(domain.field_domains.values())
    elif isinstance(domain, UnionDomain):
        parts = list(domain.kinds)
    elif isinstance(domain, MapDomain):
        parts = [domain.key, domain.value]
    elif isinstance(domain, LogDomain):
        parts = [domain.entry]
    elif isinstance(domain, OptionalStruct | OptionalScalar | SetDomain):
        parts = [domain.element]
    else:
        parts = []
    for part in parts:
        _collect_records(part, into)


def _actions(page: Page, protocol: Protocol) -> None:
    page.title("Actions")
    steps = Counter(instance.action.name for instance in protocol.instances)
    for action in protocol.members("action"):
        parameters = ", ".join(p.name for p in protocol.parameters(action.function))
        fair = f", {action.mark.fair}ly fair" if action.mark.fair else ""
        choices = counted(steps[action.name], "choice")
        page.line(f"{action.name}({parameters})  [{choices}{fair}, {action.where}]", indent=2)
        said = f'"{action.mark.says}"' if action.mark.says else ""
        for text in (said, _messages(action.mark), action.description):
            if text:
                page.line(text, "faint", indent=6)
    if not protocol.members("action"):
        page.line("none", "faint", indent=2)


def _messages(mark: Mark) -> str:
    """Which messages an action has, between whom; "" if it says none."""
    found = [f"{mark.by} sends {mark.sends} to {mark.to}"] if mark.sends else []
    found += [f"{mark.by} receives {mark.receives} of {mark.to}"] if mark.receives else []
    return "; ".join(found)


def _rules(page: Page, kind: type[Protocol]) -> None:
    """What steps and properties call: a method of the same name in a class of one's own takes its place."""
    rules = rules_of(kind)
    if rules:
        page.title("Rules that steps and properties call, each to be replaced in a variant")
        page.table([(rule.called, (str(rule.where), "faint"), rule.sentence) for rule in rules])


def _liveness(page: Page, protocol: Protocol) -> None:
    found = liveness(protocol)
    if not found:
        return
    page.title("Liveness")
    page.table([(m.name, (str(m.where), "faint"), m.sentence, _fairness(m)) for m in found])


def _fairness(member: Member) -> str:
    """What a liveness property assumes to be fair, whether it is a wish, and whether it is made once, from the
    start."""
    said = ["optional"] if member.mark.optional else []
    said += ["once"] if member.mark.once else []
    return "; ".join([*said, f"fair: {', '.join(member.mark.needs)}"])


def _size(page: Page, protocol: Protocol) -> None:
    layout = lay_out(protocol.leaves)
    page.title("Size at these bounds")
    page.line(
        f"{counted(layout.bits, 'bit')} a state, in {counted(layout.words, 'word')} of 64 bits; "
        f"{counted(len(protocol.leaves), 'field')}; {counted(len(protocol.instances), 'action instance')}.",
        indent=2,
    )


# -- readable ---------------------------------------------------------------------------------------------------------
# What has a semantics for every choice of the bounds, rule by rule, and what to write where there is none.

READABLE_KINDS: tuple[Kind, ...] = ("action", "lemma", "invariant")


def render_readable(page: Page, protocol: Protocol) -> None:
    """Write the rules that are read, and of each that is refused the line and the advice."""
    kind = type(protocol)
    rules = [(word, member) for word in READABLE_KINDS for member in kind.members(word)]
    if found := obstacles(kind):
        page.line(f"{protocol.name}: no rule can be read for every choice of the bounds", "bad")
        _refusals(page, found)
        return
    reading = ParametricSemantics(kind)
    refusals: list[Untranslatable] = []
    rows: list[tuple[str, str, str]] = []
    for word, member in rules:
        try:
            if word == "action":
                reading.action(member)
            elif len(inspect.signature(member.function).parameters) == 1:
                reading.predicate(member)
            rows.append((word, member.name, "read"))
        except Untranslatable as refused:
            refusals.append(refused)
            rows.append((word, member.name, "refused"))
    read = len(rows) - len(refusals)
    page.line(f"{protocol.name}: {read} of {len(rows)} rules can be read for every choice of the bounds")
    page.table(rows)
    if refusals:
        page.line()
        _refusals(page, refusals)


def _refusals(page: Page, refused: Sequence[Untranslatable]) -> None:
    """Each line that is refused, with its advice."""
    for number, said in enumerate(dict.fromkeys(map(str, refused))):
        if number:
            page.line()
        page.lines(said.splitlines(), indent=2)
