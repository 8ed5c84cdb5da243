"""Sets and parameters of records of several classes, TLA+'s set of messages of several kinds, in every engine."""

from __future__ import annotations

from typing import Annotated

import pytest

from epochal.checker.search import native, reference_engine
from epochal.checker.search.result import Options
from epochal.checker.tables.tables import StateColumns
from epochal.checker.tla.module import export
from epochal.checker.trace.itf import StateCodec
from epochal.spec.language import (
    Capacity,
    Identifier,
    Identifiers,
    LanguageError,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    invariant,
    reachable,
    require,
)
from tests.checker.compile.agreement import Agreement

Node = Annotated[Identifier, Identifiers("n", 2)]


class Prepared(Struct):
    of: Node


class Commit(Struct):
    by: Node


class Abort(Struct):
    by: Node


class Count(Struct, text="{many}"):
    many: bool


Message = Prepared | Commit | Abort | Count


class Messages(Protocol):
    """A set of messages of four classes, two of which have the same fields."""

    sent: Set[Message]
    got: Map[Node, bool]
    last: Node

    def initial(self, node: Node) -> None:
        self.last = node

    @action
    def prepare(self, node: Node) -> None:
        require(Prepared(node) not in self.sent)
        self.sent |= {Prepared(of=node), Count(len(self.sent) > 2)}

    @action
    def send(self, m: Abort | Commit) -> None:
        require(m not in self.sent and any(isinstance(one, Prepared) for one in self.sent))
        self.sent |= {m, Prepared(m.by)}
        self.last = m.by

    @action
    def see(self) -> None:
        require(len(self.sent) > 1)
        for m in self.sent:
            match m:
                case Prepared(of):
                    self.got[of] = True
                case Commit(by):
                    self.got[by] = False
                case Count(many):
                    for node in self.got:
                        self.got[node] = many
        self.sent -= {Commit(self.last), Count(True)}

    @action
    def forget(self, node: Node) -> None:
        self.last = next((m.by for m in self.sent if isinstance(m, Abort) and m.by == node), self.last)
        self.sent = Set(m for m in self.sent if not isinstance(m, Commit | Prepared)) | {Commit(self.last)}

    @invariant
    def classes_are_told_apart(self) -> bool:
        return not (Commit(self.last) in self.sent and Abort(self.last) in self.sent)

    @reachable
    def all_are_sent(self) -> bool:
        return self.sent >= {Commit(self.last), Abort(self.last), Count(False), Count(True)}


def test_the_searches_agree() -> None:
    protocol = Messages()
    for symmetry in (False, True):
        options = Options(all_violations=True, symmetry=symmetry)
        found, reference = native.check(protocol, options), reference_engine.check(protocol, options)
        assert found.distinct_states > 100
        assert (found.distinct_states, found.transitions) == (reference.distinct_states, reference.transitions)
        assert (found.state_digest, found.step_digest) == (reference.state_digest, reference.step_digest)
        assert [one.trace for one in found.properties] == [one.trace for one in reference.properties]


def test_the_readings_agree_on_states_that_are_written_and_read_again() -> None:
    protocol = Messages()
    readings, codec = Agreement(protocol), StateCodec(protocol)
    seen, pending = set[tuple[int, ...]](), list(protocol.initial_states())
    while pending and len(seen) < 20:
        codes = pending.pop()
        if codes not in seen:
            seen.add(codes)
            pending += [after for _, after in readings.compare(codes)]
            assert codec.decode(codec.encode(codes), "here") == codes
    assert codec.types["sent"].startswith("Set(Abort({by: Str}) | Commit({by: Str}) | Count(")


def test_tables_have_a_column_for_each_class() -> None:
    protocol = Messages()
    assert "Prepared: struct<of: string>" in str(StateColumns(protocol)._columns[0][0].type)


class InAVariable(Protocol):
    one: Prepared | Commit


class InALog(Protocol):
    sent: Annotated[Log[Prepared | Commit], Capacity(2)]


class OrNone(Protocol):
    sent: Set[Prepared | Commit | None]


class WithNumbers(Protocol):
    sent: Set[Prepared | bool]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (InAVariable, "records of several classes are elements of sets and parameters only"),
        (InALog, "records of several classes are elements of sets and parameters only"),
        (OrNone, "records of several classes, or none, are no domain"),
        (WithNumbers, "of unions only X"),
    ],
)
def test_other_places_are_refused(kind: type[Protocol], message: str) -> None:
    with pytest.raises(LanguageError, match=message) as refused:
        kind().initial_states()
    assert refused.value.advice and refused.value.where is not None


def test_the_export_to_tla_says_what_to_write() -> None:
    with pytest.raises(LanguageError, match="records of several classes in one set") as refused:
        export(Messages())
    assert refused.value.advice == "Keep a set for each class."
