"""What is wrong with the body of a protocol's class is said while the class is made, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from epochal.spec.language import LanguageError
from tests.spec.language.snippets import Load, line_of

SPEC = "class Spec(Protocol):\n    x: Small\n\n"
MARKS = ("action", "invariant", "action_property", "reachable", "constraint", "lemma")

REFUSED = {
    "two actions": (
        "    @action\n    def act(self): pass\n\n    @action\n    def act(self): self.x = 1  # here\n",
        "Spec has two members named 'act': the first, in line 30, would vanish",
        "Give one of them another name, or remove it.",
    ),
    "action, then helper": (
        "    @action\n    def act(self): pass\n\n    def act(self): self.x = 1  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "helper, then invariant": (
        "    def act(self): pass\n\n    @invariant\n    def act(self): return self.x > 1  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "two helpers": (
        "    def act(self): pass\n\n    def act(self): return self.x > 1  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "a mark that is overwritten": (
        "    @action\n    def act(self): pass\n\n    act = 5  # here\n",
        "Spec has two members named 'act': the first",
        "Give one",
    ),
    "static": (
        "    @staticmethod\n    @invariant\n    def fine():  # here\n        return True\n",
        "Spec.fine is marked @invariant, but staticmethod hides the mark",
        "Write @invariant directly above a plain method: def fine(self, ...).",
    ),
    "property": (
        "    @property\n    @invariant\n    def fine(self):  # here\n        return True\n",
        "Spec.fine is marked @invariant, but property hides the mark",
        "Write @invariant directly",
    ),
    "cached": (
        "    @functools.cache\n    @invariant\n    def fine(self):  # here\n        return True\n",
        "Spec.fine is marked @invariant, but _lru_cache_wrapper hides the mark",
        "Write @invariant directly",
    ),
    "twice": (
        "    @action\n    @invariant\n    def fine(self):  # here\n        return True\n",
        "fine is marked twice: @invariant and @action",
        "Write two methods, one for each mark.",
    ),
    "wrapped": (
        "    def fine(self): return True\n    fine.__wrapped__ = 5\n    fine = invariant(fine)  # here\n",
        "@invariant stands on fine, which a decorator has wrapped",
        "Write @invariant directly above def fine(self, ...), without other decorators.",
    ),
    "says": (
        "    @action(says=5)  # here\n    def act(self): pass\n",
        "@action takes texts: by, to, sends, receives and says, and fair, which is weak or strong",
        "Write @action(by=",
    ),
    "fair": (
        "    @action(fair='very')  # here\n    def act(self): pass\n",
        "@action takes texts",
        "Write @action(by=",
    ),
    "leads to": (
        "    @leads_to(fair='act')  # here\n    def end(self): return True, True\n",
        "leads_to takes the names of actions, not str",
        'Write @leads_to(fair=("fetch", "restart")).',
    ),
    "initial is a value": (
        "    initial = 5\n",
        "Spec.initial is no plain method",
        "Write def initial(self): and set the variables there.",
    ),
    "initial is static": ("    @staticmethod\n    def initial(): pass\n", "Spec.initial is no plain method", "Write"),
    "initial is a generator": (
        "    def initial(self):  # here\n        yield\n",
        "Spec.initial is a generator or asynchronous, so calling it sets nothing",
        "Write def initial(self): and set the variables there, without yield, async or await.",
    ),
    "initial waits": ("    async def initial(self):  # here\n        pass\n", "Spec.initial is a generator", "Write"),
    "name": ("    name = 5\n", "the name of Spec is no text", 'Write name = "my-protocol", or leave it out.'),
    "a method called name": ("    def name(self): pass\n", "the name of Spec is no text", "Write name"),
    "bounds": (
        "    bounds = Bounds()\n",
        "Spec.bounds is a value",
        "Bounds are declared by their class, as an annotation: bounds: MyBounds.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_class_bodies_are_refused(load: Load, tmp_path: Path, case: str) -> None:
    body, message, advice = REFUSED[case]
    spec = SPEC if "# here" in body else SPEC.replace(":\n", ":  # here\n", 1)
    with pytest.raises(LanguageError) as caught:
        load("import functools\n\n" + spec + body)
    assert caught.value.message.startswith(message)
    assert caught.value.advice.startswith(advice)
    assert caught.value.where is not None
    assert caught.value.where.line == line_of(next(tmp_path.glob("*.py")))


@pytest.mark.parametrize("mark", MARKS)
def test_marks_stand_on_plain_functions(load: Load, tmp_path: Path, mark: str) -> None:
    for body, what in (
        (f"    @{mark}  # here\n    class Act: pass\n", "a class"),
        (f"    @{mark}  # here\n    @staticmethod\n    def act(): pass\n", "staticmethod, which is no plain function"),
        (f"    act = {mark}(5)  # here\n", "int, which is no plain function"),
        (f"    act = {mark}(len)  # here\n", "builtin_function_or_method, which is no plain function"),
    ):
        with pytest.raises(LanguageError) as caught:
            load(SPEC + body)
        assert caught.value.message == f"@{mark} stands on {what}"
        assert caught.value.advice == f"Write @{mark} directly above def name(self, ...)."
        assert caught.value.where is not None
        assert caught.value.where.line == line_of(sorted(tmp_path.glob("*.py"))[-1])


def test_what_is_no_second_member(load: Load) -> None:
    """Overrides in subclasses, a mark that is put on afterwards, a method taken away, the parts of a property."""
    module = load(
        SPEC
        + "    def act(self): pass\n    act = action(act)\n\n"
        + "    @property\n    def half(self): return self.x // 2\n\n"
        + "    @half.setter\n    def half(self, value): self.x = value\n\n\n"
        + "class Below(Spec):\n    def act(self): self.x = 1\n\n\n"
        + "class Without(Below):\n    act = None\n"
    )
    assert [m.name for m in module.Spec.members("action")] == ["act"]
    assert [m.function.__qualname__ for m in module.Below.members("action")] == ["Below.act"]
    assert module.Without.members("action") == []


def test_an_action_is_overridden_by_a_method(load: Load) -> None:
    module = load(SPEC + "    @action\n    def act(self): pass\n\n\nclass Below(Spec):\n    act = 5\n")
    with pytest.raises(
        LanguageError, match=r"Below\.act takes the place of an @action, and is no plain method"
    ) as caught:
        module.Below.members("action")
    assert caught.value.advice == "Override it with def act(self, ...), or take it away with act = None."


def test_hostile_attributes_of_a_class_are_left_alone(load: Load) -> None:
    module = load(
        "class Hostile:\n    def __getattr__(self, name): raise ValueError(name)\n\n\n"
        + SPEC
        + "    hostile = Hostile()\n\n    @action\n    def act(self): self.x = 1\n"
    )
    assert [m.name for m in module.Spec.members("action")] == ["act"]
