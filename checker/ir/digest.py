"""Order-independent digests of a set of states and of a set of steps.

A digest is the sum of 128-bit hashes (two 64-bit lanes, each modulo 2**64). It does not depend on the order in which
states are found, so equal digests mean the same behaviour whatever the engine, the workers or the refactoring.
The native kernel computes the same functions; this is their definition.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from epochal.spec.language import ActionInstance

MASK = (1 << 64) - 1
SECRETS = (
    0xA0761D6478BD642F,
    0xE7037ED1A0B428DB,
    0x8EBC6AF09C88C6E3,
    0x589965CC75374CC3,
    0x1D8E4E27C47D124F,
    0xEB44ACCAB455D165,
    0x9E3779B97F4A7C15,
    0xC2B2AE3D27D4EB4F,
)


def fold(a: int, b: int) -> int:
    """The two halves of the 128-bit product, combined by exclusive or."""
    product = (a & MASK) * (b & MASK)
    return (product & MASK) ^ (product >> 64)


def state_hash(words: Sequence[int], lane: int = 0) -> int:
    """The 64-bit hash of a state's words; lane 0 is also the hash of the visited table.

    A product of zero keeps nothing of its factors: a state one of whose words meets exactly one 64-bit value (of an
    even word `first`, of an odd one what the words before it came to) has the hash of its neighbours in that lane.
    The values differ from lane to lane. Exact searches compare words, so only digests and `--compact` could notice.
    """
    first, second, third, last = SECRETS[lane * 4 : lane * 4 + 4]
    value = second
    for i in range(0, len(words), 2):
        other = words[i + 1] if i + 1 < len(words) else 0
        value = fold(words[i] ^ first, other ^ value)
    return fold(value ^ third, last)


def instance_constant(instance: ActionInstance) -> int:
    """The 64-bit constant that stands for an action instance, from its name and the positions of its arguments."""
    pairs = zip(instance.parameters, instance.arguments, strict=True)
    text = " ".join([instance.action.name, *(str(p.domain.index(argument)) for p, argument in pairs)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def step_hash(before: int, constant: int, after: int) -> tuple[int, int]:
    """The two lanes of a step's hash, from the lane-0 hashes of its states and its instance's constant."""
    return (
        fold(before ^ constant, after ^ SECRETS[2]),
        fold((before + constant) & MASK, after ^ SECRETS[5]),
    )


@dataclass(frozen=True)
class Digest:
    """A sum of 128-bit hashes."""

    low: int = 0
    high: int = 0

    def add(self, low: int, high: int) -> Digest:
        """The digest with one more member."""
        return Digest((self.low + low) & MASK, (self.high + high) & MASK)

    def __str__(self) -> str:
        return f"{self.high:016x}{self.low:016x}"
