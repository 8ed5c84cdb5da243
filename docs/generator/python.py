"""The page of the Python API: mkdocstrings writes it from the names in `epochal.__all__`."""

from __future__ import annotations

import epochal

from .markdown import page

INTRODUCTION = """
`import epochal` is the API for programs, notebooks and tests. Nothing is imported before it is used. `load` returns a
protocol within bounds. Each query is a function, and its result prints as the report of the command line.

```python
import epochal

small = epochal.load("truncate-to-hw", replicas=2, log_size=1, records=1, max_epoch=1)
result = epochal.check(small)
assert result.violated == {"weak_isr"} and result.exit_code == 12
print(result.headline)
print(result.counterexample)
```

<!-- prints -->
```text
truncate-to-hw: weak_isr violated
truncate-to-hw: weak_isr is violated (9 states; replicas 2, log_size 1, records 1, max_epoch 1)
...
```

Every run is replayed in both semantics before you get it. `print(result)` is the whole report, `to_dict()` what
`--format json` prints, and in a notebook a result shows itself. In a test, the message of the assertion is the story:

```python
epochal.check(epochal.load("kip-320", replicas=2)).raise_for_violation()  # silent: all properties hold
epochal.assert_holds("kip-320", bounds={"replicas": 2})  # the same
epochal.assert_holds("kip-279", bounds={"max_epoch": 1}, violated="strong_isr")  # a known bug that must be found
```

[In your tests](../testing.md) has more of this. The other queries:

```python
proof = epochal.prove(epochal.load("kip-320-proof", replicas=2, max_epoch=1))
assert proof.proved  # for any number of steps

found = epochal.bounded(small, length=8, properties=["weak_isr"])
assert found.exit_code == 12  # Z3 finds the same run

before, after = (epochal.load(name, replicas=2, max_epoch=1) for name in ("kip-279", "kip-320"))
assert not epochal.compare(before, after).same

result.counterexample.save("found.itf.json")  # for later, and for other tools that read ITF
assert epochal.replay("found.itf.json").ok
epochal.simulate(small, runs=20, depth=9, seed=7)  # random runs: a first look at what is too large
```

Settings of Kafka are keywords, in `load` and in `guarantees`, which shows what Kafka guarantees under which faults:

```python
found = epochal.guarantees(kafka="3.9.1", faults=["none", "lossy"])  # as shipped, and as designed
print(found)
```

<!-- prints -->
```text
Kafka 3.9.1, compared with its design, replication factor 3: what is guaranteed, and what breaks it
...
  a crash that loses data  NO, 8 states: KAFKA-18106, KIP-966 (S20)  NO, 13 states: KIP-966 (S20)  -                   -
...
```

A query that takes long prints nothing by itself: `progress` is called again and again with what a search has seen
(`doing`, before it begins, says what is done instead), and `tell`, where there is one, what is begun.

```python
import sys


def report(now):
    print(now.doing or f"{now.states:,} states, {now.queue:,} to explore, {now.seconds:.0f} s", file=sys.stderr)


epochal.check(epochal.load("kip-320", max_epoch=1), progress=report, budget=300)  # cut after 300 seconds
```

Keywords of a search are the fields of `epochal.Options`. Ctrl-C is raised as `KeyboardInterrupt`, after a search has
kept its `checkpoint`; what was found until then is the `result` of the exception. What means nothing is an
`epochal.EpochalError` before anything is searched, and a budget that is spent is exit code 30.

`mutate` takes guards away, `catalogue` searches known bugs, and `gate` watches the models that are configured in the
working folder.

A specification of yours is `epochal.load("mine.py:MyVariant")`, or `MyVariant(replicas=2)` where it is imported. A
state can be looked at, and its rules can be stepped through in a debugger, since they are methods. Specifications are
written with [`epochal.language`](words.md).
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
    """Where a name of the API is defined."""
    thing = getattr(epochal, name)
    return f"{thing.__module__}.{thing.__qualname__}"
