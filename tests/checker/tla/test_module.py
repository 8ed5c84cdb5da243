"""The TLA+ module of a protocol: its text is kept, its names are defined before they are used, and what cannot be said
exactly is refused with its line. Whether TLC agrees is asked in tests/tlc."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import pytest

import epochal
from epochal.checker.tla.module import TlaModule, export
from epochal.language import Identifier, Identifiers, Integers, LanguageError, Map, Protocol, action, invariant
from epochal.spec.loading import load_protocol
from tests.checker.snapshots import same_as_snapshot
from tests.tlc.rows import NAMES, within
from tests.tlc.table import PAGE, written

ONE_OF_EACH = ("kip-320", "quorum", "zookeeper", "balancing-kraft", "leader-epoch-cache", "transactions", "diskless")


@pytest.mark.parametrize("name", ["kip-101", "balancing-kraft"])
def test_a_module_is_as_it_is_kept(name: str) -> None:
    made = export(load_protocol(name)())
    for ending, text in (("tla", made.text), ("cfg", made.configuration)):
        same_as_snapshot(__file__, f"{made.name}-{ending}", text)


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_a_module_is_well_formed(name: str) -> None:
    made = export(within(name))
    assert made.text.startswith(f"---- MODULE {made.name} ----\n") and made.text.endswith("====\n")
    assert_well_formed(made)


def assert_well_formed(made: TlaModule) -> None:
    """Brackets match, each name is defined once, and the configuration names what there is."""
    code = re.sub(r"\\\*.*", "", made.text)
    for opened, closed in ("()", "[]", "{}"):
        assert code.count(opened) == code.count(closed), f"{opened} and {closed} do not match"
    assert code.count("<<") == code.count(">>")
    defined = re.findall(r"^(\w+)(?:\([^=]*\))? ==", code, re.MULTILINE)
    assert len(defined) == len(set(defined)), "a name is defined twice"
    for name in (*made.invariants, *made.step_properties, *made.promises, *made.witnessed.values()):
        assert name in defined


def test_every_action_is_an_operator_with_its_words() -> None:
    protocol = within("kip-320")
    made = export(protocol)
    for member in protocol.members("action"):
        names = ", ".join(one.name for one in protocol.parameters(member.function))
        assert f"\n{member.name}({names}) ==" in made.text
        assert f"\\* {member.description.split('. ')[0][:60]}" in made.text


def test_registered_protocols_are_all_asked_about() -> None:
    assert set(NAMES) == set(epochal.protocols())


Node = Annotated[Identifier, Identifiers("n", 2)]
Number = Annotated[int, Integers(0, 3)]


class Least(Protocol):
    """Chooses the node whose number is greatest, the first of several."""

    numbers: Map[Node, Number]
    chosen: Node | None

    @action
    def raise_one(self, node: Node) -> None:
        """A number grows."""
        self.numbers[node] = min(self.numbers[node] + 1, 3)

    @action
    def choose(self) -> None:
        """The first of the greatest."""
        greatest = max(self.numbers.values())
        self.chosen = next(node for node in self.numbers if self.numbers[node] == greatest)

    @invariant
    def chosen_is_known(self) -> bool:
        """Whoever is chosen has a number."""
        return self.chosen is None or self.numbers[self.chosen] >= 0


def test_what_depends_on_the_order_of_identifiers_names_them() -> None:
    """TLC has no order of model values: the module lists them, and is for this set alone."""
    made = export(Least())
    assert "ASSUME Node = {n1, n2}" in made.text and "<<n1, n2>>" in made.text


class Untold(Protocol):
    """Has a loop over numbers that nothing limits."""

    number: Number

    @action
    def count(self) -> None:
        """Goes through as many numbers as a sum."""
        for n in range(sum(1 for _ in range(self.number)) + self.number):
            self.number = min(n, 3)


def test_what_cannot_be_said_is_refused_with_its_line() -> None:
    with pytest.raises(LanguageError, match="a loop over numbers whose limits are not known") as refused:
        export(Untold())
    assert refused.value.where is not None and refused.value.where.file.endswith("test_module.py")
    assert refused.value.advice


def test_symmetry_is_refused_where_identifiers_are_told_apart() -> None:
    with pytest.raises(LanguageError):
        epochal.export_tla(Least(), symmetry=True)


def test_files_are_written(tmp_path: Path) -> None:
    result = epochal.export_tla(within("kip-101"), symmetry=True)
    module, configuration = result.save(tmp_path / "new")
    assert module.name == "Kip101.tla" and "Symmetry ==" in module.read_text(encoding="utf-8")
    assert "SYMMETRY Symmetry" in configuration.read_text(encoding="utf-8")


def test_the_table_of_the_documentation_is_what_was_kept() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page), "python -m tests.tlc.table writes it anew"
