"""Where the words lead that people who run Kafka type: `rolling restart`, `NotEnoughReplicasException`.

Ids and names are known elsewhere (`glossary`), and sentences of the specifications are searched word by word
(`phrases`). These words are neither: what they are about is told in `symptoms` and `matters`.
"""

from __future__ import annotations

import re

from epochal.kafka.matters import MATTERS
from epochal.kafka.phrases import FAILING, stem
from epochal.kafka.symptoms import SYMPTOMS, Situation

SITUATIONS = (*SYMPTOMS, *MATTERS)

AT_MOST = 3
"""How many situations are told: of those that are meant by as many of the words, the first."""


def situations(description: str) -> list[Situation]:
    """What a description asks for: the situations of which a longest phrase is in it."""
    words = words_of(description)
    found = [(max(_found(words, one)), one) for one in SITUATIONS]
    most = max(length for length, _ in found)
    return [one for length, one in found if most and length == most][:AT_MOST]


def _found(words: frozenset[str], one: Situation) -> list[int]:
    """How many words each phrase has that is in the description; 0 for one that is not."""
    return [len(said) if (said := words_of(phrase)) <= words else 0 for phrase in one.called]


def words_of(text: str) -> frozenset[str]:
    """The words of a text. `NotEnoughReplicasException` and `NOT_ENOUGH_REPLICAS` have the same."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return frozenset(stem(FAILING.get(word, word)) for word in re.findall(r"[a-z0-9]+", apart) if word != "exception")
