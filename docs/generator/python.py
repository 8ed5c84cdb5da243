"""The page of the Python door: mkdocstrings writes it from the names in `epochal.__all__`."""

from __future__ import annotations

import epochal

from .markdown import page

INTRODUCTION = """
`import epochal` is the door for programs, notebooks and tests. Nothing is imported before it is used.

```python
import epochal

result = epochal.check(epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1))
assert result.violated == {"weak_isr"} and result.exit_code == 12
print(result.counterexample)
```

<!-- prints -->
```text
truncate-to-hw: weak_isr is violated (8 steps; replicas 2, log_size 1, records 1, max_epoch 1)
...
```

In a test, the message of the assertion is the story:

```python
epochal.check(epochal.load("kip-320", replicas=2)).raise_for_violation()  # silent: all that was asked for holds
```

A specification of yours is `epochal.load("mine.py:MyVariant")`, or `MyVariant(replicas=2)` where it is imported. A
state can be looked at, and its rules can be stepped through in a debugger, since they are methods. Every run is
replayed in both readings before you get it. Specifications are written with [`epochal.language`](words.md).
"""


def python() -> str:
    """A directive for each name."""
    functions = [name for name in epochal.__all__ if name[:1].islower()]
    classes = [name for name in epochal.__all__ if name[:1].isupper()]
    return page(
        "From Python",
        INTRODUCTION,
        "## Functions",
        *(f"::: {_where(name)}" for name in functions),
        "## Classes",
        *(f"::: {_where(name)}" for name in classes),
    )


def _where(name: str) -> str:
    """Where a name of the door is defined."""
    thing = getattr(epochal, name)
    return f"{thing.__module__}.{thing.__qualname__}"
