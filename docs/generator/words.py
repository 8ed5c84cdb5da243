"""The page of the words of the language, from the language itself and from what the compiler refuses."""

from __future__ import annotations

import inspect
from types import FunctionType

import epochal.language as language
from docs.generator.markdown import docstring, page, table
from epochal.checker.compile.calls import BuiltIns
from epochal.checker.compile.operations import Operations
from epochal.checker.compile.source.rewrite import REFUSED
from epochal.spec.language.marks import Mark

INTRODUCTION = """
What `from epochal.language import ...` gives, and what a rule may call. [The language](../language.md) says what each
construct means; [Write a specification](../write-a-specification.md) begins at the beginning.
"""

DOMAINS = """
The annotation of a state variable, of a field of a record and of a parameter says which values there are. Sizes may be
bounds, or sums, differences and products of bounds and integers.
"""
PLAIN = (
    ("`bool`", "false or true"),
    ("a class of `enum.Enum`", "its members, in their order"),
    ("`X | None`", "a value of X, or none; X is a scalar or a record"),
)
SWITCH = """
A bug and its fix in one specification: a setting chooses between them, and every command takes it as an option.

<!-- file: account.py -->
```python
from collections.abc import Mapping
from typing import Annotated, Self

from epochal.language import Configurable, Integers, Setting, SettingValue, action, invariant, require


class Account(Configurable):
    \"\"\"An account that pays; the fix looks at the balance before.\"\"\"

    declared_settings = (Setting("fixed", "switch", "whether the balance is looked at", "on"),)
    fixed = True
    balance: Annotated[int, Integers(-4, 3)]

    @classmethod
    def configured(cls, configuration: Mapping[str, SettingValue]) -> type[Self]:
        \"\"\"The protocol with these settings: a class whose rules read them.\"\"\"
        return type(cls.__name__, (cls,), {"configuration": configuration, "fixed": configuration.get("fixed", True)})

    def initial(self) -> None:
        self.balance = 3

    @action(says="a clerk pays {amount}")
    def pay(self, amount: Annotated[int, Integers(1, 2)]) -> None:
        require(self.balance > 0)
        require(not self.fixed or self.balance >= amount)
        self.balance -= amount

    @invariant
    def never_negative(self) -> bool:
        \"\"\"The balance is never below zero.\"\"\"
        return self.balance >= 0
```

The fix is there unless somebody takes it away. Then the run that it closes is found, kept, and replayed with it:

<!-- exit: 12 -->
```console
$ epochal check account.py:Account --no-fixed --out found
account.py:Account: never_negative violated
  configuration: --no-fixed
...
```

<!-- exit: 20 -->
```console
$ epochal replay found/account-py-account-never-negative.itf.json --against account.py:Account
found/account-py-account-never-negative.itf.json: does not replay on account.py:Account
  account.py:Account --no-fixed, no bounds: never_negative is violated
  python: step 2, Pay(2), is not possible in state 1
    account.py:25: require(not self.fixed or self.balance >= amount)
...
```

```console
$ epochal check account.py:Account --brief
account.py:Account: all checked properties hold within these bounds
...
```

From Python it is `epochal.load("account.py:Account", fixed=False)`, and where the class is imported
`Account.configured({"fixed": False})()`.
"""

MARKERS = ("Integers", "Identifiers", "Capacity")
VALUES = ("Identifier", "Set", "Map", "Log", "Struct")
MARKS = ("action", "invariant", "action_property", "reachable", "constraint", "lemma", "leads_to", "ends")
VIEWS = ("view", "shown")
EFFECTS = ("require", "bounded", "seen_as", "attempt")
BOUNDS = ("bound", "Bounds")
PROTOCOL = ("Protocol", "Configurable", "Setting")
ERRORS = (
    "SpecificationError",
    "LanguageError",
    "LoadError",
    "BoundsError",
    "EvaluationError",
    "Disabled",
    "OutOfBounds",
)
FOR_READERS = ("ActionInstance", "Member", "Parameter", "Variable", "SourceLine", "Given", "SettingValue")


def words() -> str:
    """One section a kind of word."""
    return page(
        "Words of the language",
        INTRODUCTION,
        "## Domains",
        DOMAINS,
        table(("annotation", "values"), PLAIN),
        *map(_entry, MARKERS),
        _ghost(),
        "## Values",
        *map(_entry, VALUES),
        "## Marks of methods",
        *map(_entry, MARKS),
        "### by, to, sends, receives, says, fair, each",
        docstring(Mark).split("\n\n", 1)[1],
        "## For people",
        *map(_entry, VIEWS),
        _bookkeeping(),
        "## In rules",
        *map(_entry, EFFECTS),
        "Besides, on values that depend on the state: " + ", ".join(f"`{name}`" for name in _functions()) + ".",
        "## Protocols and bounds",
        *map(_entry, PROTOCOL),
        SWITCH,
        *map(_entry, BOUNDS),
        "## What is refused",
        "Each with its file and line, and with what to write instead:",
        table(
            ("construct", "what to write"), ((f"`{name}`", advice) for name, advice in dict(REFUSED.values()).items())
        ),
        "## Errors",
        *map(_entry, ERRORS),
        "## Told about a specification",
        *map(_entry, FOR_READERS[:-1]),
    )


def missing() -> set[str]:
    """The names of the language that the page does not tell."""
    told = {*MARKERS, *VALUES, *MARKS, *VIEWS, *EFFECTS, *BOUNDS, *PROTOCOL, *ERRORS, *FOR_READERS}
    told |= {"Ghost", "Bookkeeping", "ALL"}  # ALL is told by `leads_to`
    return set(language.__all__) - told


def _entry(name: str) -> str:
    """A word: how it is written, what it means, and its methods."""
    thing = getattr(language, name)
    parts = [f"### {name}", f"`{_written(name, thing)}`", docstring(thing)]
    if name in VALUES or name == "Protocol":
        kinds = (FunctionType, property)
        found = [member for member in vars(thing) if member[0] != "_" and isinstance(vars(thing)[member], kinds)]
        found = [one for one in found if not one.endswith("_values") and (name != "Protocol" or one in OPEN)]
        if found:
            rows = ((f"`{member}{_parameters(vars(thing)[member])}`", _first(vars(thing)[member])) for member in found)
            parts.append(table(("method", "what it does"), rows))
    return "\n\n".join(parts)


OPEN = ("initial", "each", "member")
"""The methods of a protocol that specifications define or call."""


def _first(thing: object) -> str:
    """The first sentence of a docstring."""
    return docstring(thing).split(". ")[0].split("\n\n")[0].rstrip(".") + "." if docstring(thing) else ""


def _written(name: str, thing: object) -> str:
    """How a word is written: a mark above a method, a function with its parameters, or a class to derive from."""
    if name in ("action", "reachable"):
        shown = _parameters(thing).removeprefix("(function=None, *, ").removesuffix(")")
        return f"@{name}` or `@{name}({shown})"
    if name == "view":
        return "@view(of=...)"
    if name in MARKS:
        return f"@{name}{_parameters(thing)}" if name == "leads_to" else f"@{name}"
    return f"{name}{_parameters(thing)}" if name in (*MARKERS, *EFFECTS, "bound", "shown") else name


def _parameters(thing: object) -> str:
    """The parameters of a function, without their types; nothing for an attribute."""
    if isinstance(thing, property) or not callable(thing):
        return ""
    found = inspect.signature(thing)
    empty = inspect.Parameter.empty
    kept = [one.replace(annotation=empty) for one in found.parameters.values() if one.name != "self"]
    return str(inspect.Signature(kept))


def _ghost() -> str:
    return (
        "### Ghost\n\n`Ghost[X]`\n\nHistory for properties only: `committed: Ghost[Set[Record]]`. No guard may read it."
    )


def _bookkeeping() -> str:
    return (
        "### Bookkeeping\n\n`Bookkeeping[X]`\n\nWhat only the model counts: `used: Bookkeeping[Budget]`. Rules read it "
        "as any variable. Stories and diagrams leave it out, unless nothing else changes; `--all-fields`, JSON and ITF "
        "have it."
    )


def _functions() -> list[str]:
    """The built-in functions that the compiler knows."""
    operations = Operations.__new__(Operations)
    return sorted(key.__name__ for key in BuiltIns(operations).table if key.__module__ == "builtins")
