"""The documents of what is known of Kafka: guarantees and the catalogue."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from .common import Bounds, Configuration, Ended, Head, Trace


class GuaranteeAnswer(TypedDict):
    """The answer to one question under one fault; `length` counts the states of the shortest run that breaks it.

    `behind` are the ids of the known bugs each of which, closed alone, stops that run.
    """

    verdict: Literal["holds", "violated", "open", "nothing"]
    length: int | None
    behind: list[str]


class FaultDecidedAgain(TypedDict):
    """The same fault with the bugs of these ids closed: what breaks a liveness property then."""

    closed: list[str]
    answers: dict[str, GuaranteeAnswer]
    distinct_states: Annotated[int, "states"]
    depth: int
    exhaustive: Annotated[bool, lambda one: not one.cut]
    cut: str


class Recovers(TypedDict):
    """Whether something comes back by itself; `length` counts the states of the shortest run in which it does not.

    Where it does after a restart, no broker restarts in that run.
    """

    verdict: Literal["alone", "after a restart", "never", "open"]
    length: int | None


class FaultDecided(TypedDict):
    """A fault, and every question under it. Writes are null where the fault does not stop so many brokers.

    `causes` is there with --causes, and `recovery` with --recovery: a leader, writes with acks=all (an ISR as
    large as min.insync.replicas) and the whole ISR.
    """

    fault: Annotated[str, "fault.id"]
    title: Annotated[str, "fault.title"]
    reference: str
    bounds: Bounds
    answers: dict[str, GuaranteeAnswer]
    writes_with_one_down: Annotated[bool | None, lambda one: one.writes[0]]
    writes_with_two_down: Annotated[bool | None, lambda one: one.writes[1]]
    distinct_states: Annotated[int, "states"]
    depth: int
    exhaustive: Annotated[bool, lambda one: not one.cut]
    cut: str
    causes: NotRequired[list[FaultDecidedAgain]]
    beneath: NotRequired[list[FaultDecidedAgain]]
    recovery: NotRequired[Annotated[dict[str, Recovers], "back"]]
    comes_back: NotRequired[dict[str, Recovers]]


class GuaranteeTable(TypedDict):
    """One protocol. `known_holes` are the ids of the catalogue whose rule it lacks, `title` what it is called.

    `remarks` are what rules of its own make of the steps that the protocol joins; none of a protocol without any.
    """

    title: Annotated[str, "column.title"]
    reference: Annotated[str, "column.reference"]
    configuration: Annotated[Configuration, "column.settings"]
    known_holes: Annotated[list[str], lambda table: [bug.id for bug in table.holes]]
    remarks: list[str]
    faults: Annotated[list[FaultDecided], "decided"]


class Guarantees(Head):
    """`epochal guarantees`. `properties` says which property answers which question."""

    bounds: Bounds
    properties: dict[str, str]
    tables: list[GuaranteeTable]
    exit_code: int


class Side(TypedDict):
    """What the search of one side of a catalogue entry found."""

    verdict: str
    length: int | None
    exhaustive: bool
    cut: str
    distinct_states: int
    depth: int
    error: Annotated[str | None, "error.message"]
    cpu_seconds: float


class CatalogueEntry(TypedDict):
    """A known bug: without the rule that forbids it, and with it. What a search found is there if one was made."""

    id: str
    title: str
    source: str
    kafka: Annotated[str, "versions"]
    shown_on: list[str]
    property: Annotated[str, "property_id"]
    without_rule: str
    with_rule: str
    bounds: Annotated[Bounds, "other_bounds"]
    as_expected: NotRequired[bool]
    faulty: NotRequired[Annotated[Side, "found.faulty"]]
    sound: NotRequired[Annotated[Side, "found.sound"]]
    trace: NotRequired[Trace | None]


class Catalogue(Head):
    """`epochal catalogue`. `interrupted` counts the entries that were not searched in time."""

    entries: list[CatalogueEntry]
    not_searched: list[dict[str, Any]]
    interrupted: int
    exit_code: int


class Family(TypedDict):
    """A family of protocols, and what it is about."""

    family: str
    title: str


class Registered(TypedDict):
    """A registered protocol. `start` says why to start with it, `proof` where its proof stands; null if not so."""

    protocol: str
    family: str
    summary: str
    start: str | None
    proof: str | None


class Protocols(Ended):
    """`epochal list`."""

    families: list[Family]
    protocols: list[Registered]
