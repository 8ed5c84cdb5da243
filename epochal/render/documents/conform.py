"""The document of `epochal conform`."""

from __future__ import annotations

from typing import Literal, TypedDict

from epochal.render.documents.common import Head


class PartitionKnown(TypedDict):
    """A partition as the controller knows it. `leader` and `last_known_leader` are null if there is none."""

    replicas: list[int]
    isr: list[int]
    leader: int | None
    leader_epoch: int
    adding: list[int]
    removing: list[int]
    eligible_leader_replicas: list[int]
    last_known_leader: int | None
    recovering: bool


class Expected(TypedDict):
    """A step of the specification that may have happened, and the partition after it."""

    step: str
    partition: PartitionKnown


class RefusedChange(TypedDict):
    """Something that no step explains: a change, or one that is missing where this record stands."""

    file: str
    line: int | None
    offset: int
    record: str
    partition: str
    missing: bool
    before: PartitionKnown
    found: PartitionKnown
    expected: list[Expected]


class ControllerJudged(TypedDict):
    """What the controller did: changes by the step that explains them, those refused, and those left out by reason."""

    verdict: Literal["accepted", "refused", "nothing to judge"]
    first_offset: int
    last_offset: int
    explained: dict[str, int]
    refused: list[RefusedChange]
    left_out: dict[str, int]


class Noticed(TypedDict):
    """An event by which records may have been lost. `about` is the ticket, KIP or finding that tells of it."""

    file: str
    line: int | None
    offset: int
    partition: str
    about: str
    says: str


class Conform(Head):
    """`epochal conform`. `read` counts the files by what they are; `controller` is null without a metadata log."""

    evidence: str
    kafka: str
    reference: str
    read: dict[str, int]
    unread: list[str]
    controller: ControllerJudged | None
    noticed: list[Noticed]
