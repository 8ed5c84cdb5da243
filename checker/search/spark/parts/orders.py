"""What a task of a checking is told, and what all of them need. Orders and answers are JSON."""

from __future__ import annotations

import hashlib
import json
import uuid
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ....ir.model import CompiledLiveness
from ....liveness.native import PROGRAM_LEVEL, EndsAsked, Question
from ....liveness.passes import FairUnit
from ....native.engine import KERNEL_LEVEL
from ....native.kernel.kernel import Shape, kernel_text, liveness_kernel_text
from ....native.llvm.jit import Compiler, MachineCode
from ....native.program.program import labelled, liveness_program_text
from ..master import LogDamaged
from ..program import Program
from ..storage import Storage
from ..tasks import Hook
from .ranking import Ranking, ranking_of

# -- plan -------------------------------------------------------------------------------------------------------------
# What tasks need to check liveness properties: machine code, units of fairness by labels, and the ranking of states.

Fair = tuple[tuple[FairUnit, ...], ...]
"""The units of fairness of each liveness property of a batch."""


@dataclass(frozen=True)
class Module:
    """A module that travels: object code for processors like the driver's, and the text for others."""

    text: bytes
    object: bytes
    identity: str
    level: int
    passes: bool

    @cached_property
    def code(self) -> MachineCode:
        """The module made callable in this process."""
        compiler = Compiler()
        if compiler.identity == self.identity:
            return compiler.load(zlib.decompress(self.object))
        text = zlib.decompress(self.text).decode()
        return compiler.load(compiler.compile_and_keep(text, self.level, self.passes))


def _module(compiler: Compiler, text: str, level: int, passes: bool) -> Module:
    made = compiler.compile_and_keep(text, level, passes)
    return Module(zlib.compress(text.encode()), zlib.compress(made), compiler.identity, level, passes)


@dataclass(frozen=True)
class Batch:
    """Up to 64 liveness properties: their code, what each assumes, and for what is left out in turn whom it
    concerns."""

    module: Module
    fair: Fair
    others: tuple[tuple[int, Fair], ...] = ()


@dataclass(frozen=True)
class Plan:
    """How to check. `ends` are the liveness properties that say where a run may end; None if nobody asks.

    `wanted` is the kind of the ends that are wrong then.
    """

    ranking: Ranking
    search: Module
    promises: Module
    labels: int
    constrained: bool
    batches: tuple[Batch, ...]
    ends: tuple[Batch, ...] | None = None
    wanted: int = 0


def make_plan(question: Question, parts: int, asked: EndsAsked | None) -> Plan:
    """Compile what tasks need; `asked` is what is asked of ends."""
    model, compiler = question.model, Compiler()
    words, constrained = model.layout.words, bool(model.protocol.members("constraint"))

    def batch(promises: Sequence[CompiledLiveness]) -> Module:
        return _module(compiler, liveness_program_text(model, promises, question.fair), PROGRAM_LEVEL, False)

    batches = []
    for promises in question.batches:
        others = [
            (question.concerned(other, promises), question.fair_units(promises, question.units_under(other)))
            for other in question.others
        ]
        fair = tuple(question.fair_units(promises, question.units))
        batches.append(Batch(batch(promises), fair, tuple((bits, tuple(units)) for bits, units in others)))
    return Plan(
        ranking_of(model, parts),
        _module(compiler, kernel_text(Shape(words, constrained)), KERNEL_LEVEL, True),
        _module(compiler, liveness_kernel_text(words, False), KERNEL_LEVEL, True),
        len(labelled(model)),
        constrained,
        tuple(batches),
        None if asked is None else tuple(Batch(batch(promises), ()) for promises in asked.batches),
        0 if asked is None else asked.wanted,
    )


# -- scratch ----------------------------------------------------------------------------------------------------------
# What tasks hand each other while liveness properties are checked: pieces of files in the storage of the search.
#
# A file is written once, under a name that no other attempt uses, and has a piece for each task that is to read it.
# What the driver knows of a piece (where it is, a digest of it) is checked whenever it is read. Each driver has a
# folder of its own, which it removes when all is checked.

FOLDER = "promises"


@dataclass(frozen=True)
class Piece:
    """A piece of a file: what it is for, where it lies, and the digest of what was written."""

    key: tuple[int, ...]
    name: str
    offset: int
    size: int
    digest: str

    def document(self) -> list[Any]:
        """The piece as JSON values."""
        return [list(self.key), self.name, self.offset, self.size, self.digest]


def piece_of(document: list[Any]) -> Piece:
    """What `Piece.document` stands for."""
    key, name, offset, size, digest = document
    return Piece(tuple(key), name, offset, size, digest)


def write_pieces(storage: Storage, folder: str, contents: Mapping[tuple[int, ...], bytes]) -> list[Piece]:
    """Write what is not empty into one file of a folder. Raises OSError."""
    name, offset, pieces = f"{folder}/{uuid.uuid4().hex}", 0, []
    for key, content in contents.items():
        if content:
            pieces.append(Piece(key, name, offset, len(content), _digest(content)))
            offset += len(content)
    if pieces:
        storage.write(name, b"".join(contents.values()))
    return pieces


def read_pieces(storage: Storage, pieces: Iterable[Piece]) -> bytes:
    """What some pieces hold, one after the other. Raises LogDamaged if it is not what was written."""
    found = []
    for piece in pieces:
        try:
            content = storage.read_part(piece.name, piece.offset, piece.size)
        except OSError as error:
            raise LogDamaged(_damaged(storage, piece, f"cannot be read: {error}")) from error
        if _digest(content) != piece.digest:
            raise LogDamaged(_damaged(storage, piece, "has another content than the one that was written"))
        found.append(content)
    return b"".join(found)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _damaged(storage: Storage, piece: Piece, what: str) -> str:
    return f"{storage.path(piece.name)} {what}.\n  The states are safe: go on with --resume last."


Case = tuple[int, int]
"""A liveness property with one choice of its parameters: the number of its batch, and its bit there."""


@dataclass(frozen=True)
class Judging:
    """What every task of a checking needs: the storage and where to write there, the search's program, how to check."""

    storage: Storage
    folder: str
    program: Callable[[], Program]
    plan: Callable[[], Plan]
    hook: Hook | None = None

    def at(self, moment: str, part: int) -> None:
        """Tell whoever wants to know."""
        if self.hook is not None:
            self.hook(moment, part)


@dataclass(frozen=True)
class Order:
    """A part to look at: its states, and what tasks before have handed on to it.

    `received` has pieces for each batch of liveness properties, those that say where a run may end after the others.
    `cases` are those that are broken somewhere and wait in this part, with pieces of what they cost to come to, and of
    which states are doomed here.
    """

    rank: int
    part: int
    states: tuple[Piece, ...]
    received: dict[int, list[Piece]] = field(default_factory=dict)
    cases: tuple[tuple[Case, tuple[Piece, ...], tuple[Piece, ...]], ...] = ()

    def text(self) -> str:
        """As JSON."""

        def listed(pieces: Iterable[Piece]) -> list[Any]:
            return [piece.document() for piece in pieces]

        received = [[batch, listed(pieces)] for batch, pieces in self.received.items()]
        cases = [[case, listed(costs), listed(doomed)] for case, costs, doomed in self.cases]
        return json.dumps([self.rank, self.part, listed(self.states), received, cases])


def order_of(text: str) -> Order:
    """What `Order.text` stands for."""
    rank, part, states, received, cases = json.loads(text)

    def pieces(found: list[Any]) -> tuple[Piece, ...]:
        return tuple(map(piece_of, found))

    return Order(
        rank,
        part,
        pieces(states),
        {batch: list(pieces(found)) for batch, found in received},
        tuple(((case[0], case[1]), pieces(costs), pieces(doomed)) for case, costs, doomed in cases),
    )
