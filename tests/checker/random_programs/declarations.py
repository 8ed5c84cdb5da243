"""What a random program declares before its protocol: bounds, numbers, names, enumerations, records, variables."""

from __future__ import annotations

from tests.checker.random_programs.assignments import Lines
from tests.checker.random_programs.core import BOOL, Entry, NoWay, World, is_scalar
from tests.checker.random_programs.kinds import Choice, EitherOf, Int, Kind, LogOf, MapOf, Maybe, Name, Record, SetOf
from tests.checker.random_programs.sources import NUMBER

SET_LIMIT = 12
"""The most elements that a set can have here."""


def declare(world: World) -> Lines:
    """Choose what there is in a program; the lines that declare it."""
    dice = world.dice
    high = dice.choice([1, 2, 2, 3])
    lines = ["", "@dataclass(frozen=True)", "class B(Bounds):", '    """Bounds."""', ""]
    lines += [f'    high: int = bound({high}, least=1, most=4, help="size")', "", ""]
    world.ints.append(Int("Small", 0, high))
    lines.append("Small = Annotated[int, Integers(0, B.high)]")
    if dice.random() < 0.4:
        world.ints.append(Int("Signed", -2, 1))
        lines.append("Signed = Annotated[int, Integers(-2, 1)]")
    if dice.random() < 0.3:
        world.ints.append(Int("Big", 1, 4))
        lines.append("Big = Annotated[int, Integers(1, 4)]")
    if dice.random() < 0.3:
        world.ints.append(Int("Bit", 0, 1))
        lines.append("Bit = Annotated[int, Integers(0, 1)]")
    if dice.random() < 0.12:
        world.ints.append(Int("Wide", -40, 87))
        lines.append("Wide = Annotated[int, Integers(-40, 87)]")
    if world.symmetric or dice.random() < 0.45:
        count = dice.choice([2, 2, 3]) if world.symmetric else 2
        world.names.append(Name("Node", count))
        lines.append(f'Node = Annotated[Identifier, Identifiers("n", {count})]')
        if not world.symmetric and dice.random() < 0.2:
            world.names.append(Name("Peer", count + 1))
            lines.append(f'Peer = Annotated[Identifier, Identifiers("n", {count + 1})]')
    if dice.random() < 0.3:
        world.constants.append(Entry("self.LEAST", NUMBER))
    if dice.random() < 0.4:
        world.constants.append(Entry("LIMIT", NUMBER))
        lines.append(f"LIMIT = {dice.randint(-1, 3)}")
    if dice.random() < 0.45:
        members = ("IDLE", "BUSY", "DONE")[: dice.choice([2, 3])]
        world.choices.append(Choice("Mode", members))
        lines += ["", "", "class Mode(enum.Enum):", '    """Modes."""', ""]
        lines += [f"    {member} = {i}" for i, member in enumerate(members)]
    for number in range(dice.choice([1, 2] if world.tangled else [0, 1, 1, 1, 2, 2])):
        lines += _record(world, number)
    if world.records and dice.random() < 0.12:
        first = world.records[0]
        own = ("w", _scalar(world))
        world.records.append(Record("Wider", (*first.fields, own), first.name))
        lines += ["", "", f"class Wider({first.name}):", '    """Wider."""', "", f"    w: {own[1].text}"]
    if world.records and dice.random() < 0.25:
        world.records.append(Record("Note", (("x", _bit(world)),)))
        lines += ["", "", "class Note(Struct):", '    """Note."""', "", f"    x: {world.records[-1].fields[0][1].text}"]
    _variables(world)
    return lines


def _scalar(world: World) -> Kind:
    kinds: list[Kind] = [BOOL, *world.ints, *world.ints, *world.choices, *world.names]
    return world.dice.choice(kinds)


def _small(world: World) -> Kind:
    """A scalar that a set can hold."""
    kind = _scalar(world)
    return kind if kind.size <= SET_LIMIT else BOOL


def _bit(world: World) -> Kind:
    """A kind with two values or three."""
    return world.dice.choice([kind for kind in (BOOL, *world.ints, *world.choices, *world.names) if kind.size <= 3])


def _record(world: World, number: int) -> Lines:
    dice = world.dice
    name = ("Pair", "Outer")[number]
    fields: list[tuple[str, Kind]] = [("x", dice.choice(world.ints)), ("y", _scalar(world))]
    if dice.random() < 0.3:
        fields.append(("z", Maybe(_scalar(world))))
    if number:
        inner = world.records[0]
        fields = [("p", inner), *fields[:1]]
        if dice.random() < 0.3:
            fields.append(("o", Maybe(inner)))
    if dice.random() < 0.15:
        fields.append(("s", SetOf(_small(world))))
    if dice.random() < 0.05:
        fields.append(("log", LogOf(_scalar(world), 2)))
    if dice.random() < 0.05:
        fields.append(("m", MapOf(dice.choice([BOOL, *world.names, *world.choices]), _scalar(world))))
    world.records.append(Record(name, tuple(fields)))
    text = ', text="{x}"' if dice.random() < 0.1 else ""
    lines = ["", "", f"class {name}(Struct{text}):", f'    """{name}."""', ""]
    return lines + [f"    {field}: {kind.text}" for field, kind in fields]


def _element(world: World) -> Kind:
    """What a set can hold."""
    if world.dice.random() < 0.3:
        return world.ints[0]
    records = _elements(world)
    kinds: list[Kind] = [_small(world), *records, *records]
    if world.dice.random() < 0.1:
        kinds = [Maybe(_small(world)), SetOf(BOOL), SetOf(_bit(world))]
    if len(records) > 1:
        kinds += [EitherOf(tuple(records))] * 4
    return world.dice.choice(kinds)


def _elements(world: World) -> list[Record]:
    """The records that a set can hold."""
    return [record for record in world.records if record.plain and record.size <= SET_LIMIT]


def _variable_kind(world: World) -> Kind:
    dice = world.dice
    shape = dice.choice(["scalar", "scalar", "maybe", "record", "record", "set", "map", "map", "log", "log"])
    if shape == "scalar":
        return _scalar(world)
    if shape == "maybe":
        return Maybe(dice.choice([_scalar(world), *world.records, *world.records]))
    if shape == "record" and world.records:
        return dice.choice(world.records)
    if shape == "set":
        return SetOf(_element(world))
    if shape == "log":
        flat = [record for record in world.records if record.plain]
        entries = [_scalar(world), *flat, *flat]
        if dice.random() < 0.15:
            entries = [Maybe(_small(world)), SetOf(_bit(world))]
        return LogOf(dice.choice(entries), dice.choice([1, 2, 2, 3]))
    return MapOf(_key(world), _map_value(world))


def _key(world: World) -> Kind:
    keys: list[Kind] = [BOOL, *world.names, *world.names, *world.choices, world.ints[0]]
    if world.dice.random() < 0.1:
        keys = [Maybe(world.dice.choice([*world.choices, BOOL])), SetOf(BOOL)]
    return world.dice.choice([key for key in keys if key.size <= 4] or [BOOL])


def _map_value(world: World) -> Kind:
    dice = world.dice
    kinds: list[Kind] = [_scalar(world), _scalar(world), *world.records, *world.records, Maybe(_scalar(world))]
    if dice.random() < 0.3:
        kinds += [SetOf(_small(world)), LogOf(_scalar(world), 2), MapOf(BOOL, _scalar(world))]
    return dice.choice(kinds)


def _variables(world: World) -> None:
    dice = world.dice
    names = iter("abcdefghijklm")
    kinds: list[Kind] = [world.ints[0]]
    kinds += [_variable_kind(world) for _ in range(dice.randint(1, 4))]
    if world.symmetric:
        kinds += [MapOf(world.names[0], _map_value(world)), dice.choice([SetOf(world.names[0]), Maybe(world.names[0])])]
    if world.tangled:
        record = dice.choice(world.records)
        kinds = [*kinds[:2], record, record, MapOf(_key(world), record), dice.choice([Maybe(record), LogOf(record, 2)])]
    if len(_elements(world)) > 1 and dice.random() < 0.7:
        kinds.append(SetOf(EitherOf(tuple(_elements(world)))))
    again = [kind for kind in kinds if isinstance(kind, Record | MapOf | LogOf)]
    if again and dice.random() < 0.5:
        kinds.append(dice.choice(again))  # two of a kind can be swapped, compared and chosen between
    dice.shuffle(kinds)
    for kind in kinds:
        world.variables.append(Entry(f"self.{next(names)}", kind, False, True))
    if dice.random() < 0.2:
        world.variables.append(
            Entry(f"self.{next(names)}", dice.choice([SetOf(_small(world)), _scalar(world)]), True, True)
        )


def plain_parameters(world: World, count: int, most: int) -> list[tuple[str, Kind]]:
    """Parameters of an action, with at most so many choices in all."""
    kinds: list[Kind] = [BOOL, *world.ints, *world.choices, *world.names, *world.names]
    kinds += [Maybe(kind) for kind in kinds if is_scalar(kind)][:2]
    kinds += [record for record in world.records if record.plain]
    kinds += [entry.kind for entry in world.variables if isinstance(entry.kind, SetOf | MapOf | LogOf)]
    kinds += [Maybe(record) for record in world.records if record.plain]
    sets = [entry.kind.element for entry in world.variables if isinstance(entry.kind, SetOf)]
    kinds += [kind for kind in sets if isinstance(kind, EitherOf)]
    if world.dice.random() < 0.25:
        kinds += [LogOf(BOOL, 1)] * 3 + [MapOf(BOOL, BOOL)] * 2
    chosen: list[tuple[str, Kind]] = []
    for number in range(count):
        fits = [kind for kind in kinds if kind.size <= most]
        if not fits:
            break
        kind = world.dice.choice(fits)
        most //= kind.size
        chosen.append((f"u{number}", kind))
    return chosen


__all__ = ["NoWay", "declare", "plain_parameters"]
