"""`kafka-features describe`: which metadata version is final, what the node supports, and whether ELR is on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..said import Place, refuse
from .columns import columns_of

BEGINS = re.compile(r"^[\t ]*Feature:\s*\S+\s.*SupportedMinVersion:", re.MULTILINE)
"""A line that only this output has."""

COLUMNS = ("Feature", "SupportedMinVersion", "SupportedMaxVersion", "FinalizedVersionLevel", "Epoch")
METADATA_VERSION, ELR = "metadata.version", "eligible.leader.replicas.version"
RELEASE = re.compile(r"(\d+\.\d+)-IV\d+")


@dataclass(frozen=True)
class Feature:
    """A feature: the highest version that the node which answered can have, and the one that is final."""

    name: str
    highest: str
    final: str
    place: Place

    @property
    def release(self) -> str:
        """The version of Kafka that the node runs, `4.1` of `4.1-IV1`; "" if it does not tell.

        A release supports the metadata versions up to its own.
        """
        found = RELEASE.fullmatch(self.highest) if self.name == METADATA_VERSION else None
        return found[1] if found else ""


def read_features(lines: Iterable[str], file: str) -> list[Feature]:
    """The features of an output. Raises EvidenceError for a line that is cut off."""
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.lstrip().startswith("Feature:"):
            continue
        place = Place(file, number)
        said = columns_of(line, COLUMNS, place)
        if not all(said.get(name) for name in COLUMNS[:-1]):
            advice = "The file is cut off: ask again with 'kafka-features describe'."
            raise refuse(place, "a feature without its versions", advice)
        found.append(Feature(said["Feature"], said["SupportedMaxVersion"], said["FinalizedVersionLevel"], place))
    return found
