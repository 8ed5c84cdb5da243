"""The certificate of a proof for every choice of the bounds: for each question a hint from which Z3 answers it at once.

A certificate is not believed. Z3 answers each question again, with the few hypotheses and terms that the hint names. A
question that it does not answer so is asked as if there were no certificate. So a file that is out of date or made up
costs time, and proves nothing. It stands beside the module of the protocol, and is the same for the same proof.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from epochal.errors import UsageError
from epochal.spec.language import Protocol

from ..parametric.terms import BOOL, IDENTIFIER, INT, Symbol, Term, add, apply, constant, scale, sure, variable
from ..trace.output_folder import slug
from .obligations import Place
from .oracle import Hint, can_be_told
from .premises import ProofOutline

FORMAT = 1
ENDING = ".certificate.json"
WITNESSES = "witnesses"

Hints = Mapping[str, Hint]
"""By the digest of a question."""

Outlines = Mapping[Place, tuple[ProofOutline, ...]]
"""By cell, in the order in which they are tried."""


@dataclass(frozen=True)
class Certificate:
    """Hints for questions, and outlines of those cells that are proved from a few lemmas.

    `many` is whether the questions are those of a proof of many lemmas (`UnboundedPlan`): its hints are of no others.
    None leaves it to the number of lemmas. Outlines by hand name the few that matter, so nothing need be selected.
    """

    hints: Hints = field(default_factory=dict)
    outlines: Outlines = field(default_factory=dict)
    many: bool | None = None


NONE = Certificate()


def beside(protocol: type[Protocol]) -> Path | None:
    """Where the certificate of a protocol is: beside its module, called by its name. None if it has no file."""
    module = sys.modules.get(protocol.__module__)
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).with_name(file_name(protocol))


MOST_LETTERS = 100
"""Of a protocol's name, in the name of a file."""


def file_name(protocol: type[Protocol]) -> str:
    """How the certificate of a protocol is called."""
    return f"{slug(protocol.name.rpartition(':')[2])[:MOST_LETTERS]}{ENDING}"


def known(protocol: type[Protocol]) -> Certificate:
    """The certificate beside a protocol; one that says nothing if there is none."""
    path = beside(protocol)
    return read(path) if path is not None and path.is_file() else NONE


def read(path: Path) -> Certificate:
    """A certificate. Raises UsageError for a file that is none."""
    try:
        content = json.loads(path.read_text("utf-8"))
        return Certificate(decoded(content), _outlines(content.get("outlines", [])), _many(content))
    except (OSError, ValueError, RecursionError) as error:
        why = f"{path} is no certificate: {error}"
        raise UsageError(
            why, "Write it again with epochal prove --unbounded --certified --out, or remove it."
        ) from error


def text(protocol: type[Protocol], certificate: Certificate) -> str:
    """The certificate as a file has it."""
    content = encoded(certificate.hints)
    outlines = [
        [*place, one.before, one.after] for place, several in sorted(certificate.outlines.items()) for one in several
    ]
    questions = [f"{_compact(at)}:{_compact(row)}" for at, row in content["questions"].items()]
    said = "" if certificate.many is None else f', "many": {json.dumps(certificate.many)}'
    parts = [
        f'"format": {FORMAT}, "protocol": {json.dumps(protocol.name)}{said}',
        _lines("outlines", "[]", map(_compact, outlines)),
        _lines("terms", "[]", map(_compact, content["terms"])),
        _lines("questions", "{}", questions),
    ]
    return "{" + ",\n".join(parts) + "}\n"


def _lines(name: str, around: str, rows: Iterable[str]) -> str:
    inside = ",\n".join(rows)
    return f'"{name}": {around[0]}\n{inside}\n{around[1]}'


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


# -- as data ----------------------------------------------------------------------------------------------------------
# Terms stand in one table, each once and after its operands, which it names by their numbers:
#   ["const", value]  ["var", name, kind, sort]  ["app", name, kind, sort, *operands]  ["add", a, b]  ["scale", n, a]
# A question has its core, and its terms or null for Z3's own: a number, or a number and the kind to try it as.


def encoded(hints: Hints) -> dict[str, Any]:
    """Hints as plain data, the same for the same hints."""
    table: dict[Term, int] = {}
    rows: list[list[Any]] = []
    said = (term for hint in hints.values() for term, _ in hint.terms or ())
    sure(all(map(can_be_told, said)), "a hint has a term that cannot be told")

    def number(term: Term) -> int:
        if term not in table:
            operands = [number(arg) for arg in term.args]
            table[term] = len(rows)
            rows.append([term.op, *_value(term), *operands])
        return table[term]

    def tried(term: Term, kind: str | None) -> Any:
        return number(term) if kind is None else [number(term), kind]

    questions = {
        digest: [
            list(hint.core),
            None if hint.terms is None else [tried(*one) for one in hint.terms],
            *([WITNESSES] if hint.witnesses else ()),
        ]
        for digest, hint in sorted(hints.items())
    }
    return {"format": FORMAT, "terms": rows, "questions": questions}


def _value(term: Term) -> list[Any]:
    if term.op in ("var", "app"):
        return [term.value.name, term.value.kind, term.sort]
    return [] if term.op == "add" else [term.value]


def decoded(content: Any) -> Hints:
    """The hints that plain data stand for. Raises ValueError for what is none."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT}")
    terms: list[Term] = []
    try:
        for row in content["terms"]:
            terms.append(_term(row, terms))
        return {
            str(digest): Hint(
                tuple(_counted(n) for n in core),
                None if tried is None else tuple(_tried(one, terms) for one in tried),
                witnesses=more == [WITNESSES],
            )
            for digest, (core, tried, *more) in content["questions"].items()
        }
    except (KeyError, IndexError, TypeError, AttributeError, AssertionError) as error:
        raise ValueError(f"it is damaged ({error})") from error


def _many(content: dict[str, Any]) -> bool | None:
    found = content.get("many")
    if found is not None and not isinstance(found, bool):
        raise ValueError(f"many is {found!r}, and not true or false")
    return found


def _outlines(rows: Any) -> Outlines:
    found: dict[Place, tuple[ProofOutline, ...]] = {}
    try:
        for row, column, before, after in rows:
            if not all(isinstance(name, str) for name in (row, column, *before, *after)):
                raise ValueError(f"{[row, column]} names no lemmas")
            found[row, column] = (*found.get((row, column), ()), ProofOutline(tuple(before), tuple(after)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"its outlines are damaged ({error})") from error
    return found


def _tried(row: Any, terms: list[Term]) -> tuple[Term, str | None]:
    if isinstance(row, int):
        return terms[_counted(row)], None
    number, kind = row
    return terms[_counted(number)], _name(kind)


def _term(row: list[Any], before: list[Term]) -> Term:
    made = _made(row, before)
    if not can_be_told(made):
        raise ValueError("a term is nested too deeply")
    if made.op == "const":
        _whole(made.value)
    return made


def _made(row: list[Any], before: list[Term]) -> Term:
    op, *rest = row
    if op == "const":
        (value,) = rest
        return constant(_whole(value))
    if op == "add":
        return add(*_numbers(rest, before))
    if op == "scale":
        factor, of = rest
        return scale(_whole(factor), *_numbers([of], before))
    name, kind, sort, *operands = rest
    name, kind, sort = map(_name, (name, kind, sort))
    if sort not in (BOOL, INT) and not sort.startswith(IDENTIFIER):
        raise ValueError(f"there is no sort {sort}")
    if op == "var" and not operands:
        return variable(name, sort, kind)
    if op != "app":
        raise ValueError(f"there is no {op}")
    return apply(Symbol(name, kind), [before[_counted(n)] for n in operands], sort)


def _numbers(places: list[Any], before: list[Term]) -> list[Term]:
    found = [before[_counted(n)] for n in places]
    if any(one.sort != INT for one in found):
        raise ValueError("a sum of what is no number")
    return found


MOST_BITS = 4096
"""How large a number may be. Python does not write out one that is much larger."""


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is no number")
    if value.bit_length() > MOST_BITS:
        raise ValueError(f"a number has more than {MOST_BITS} bits")
    return value


def _name(value: Any) -> str:
    """A name, or what an integer counts: Z3 takes no other text than what can be printed."""
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(f"{value!r} is no name")
    return value


def _counted(value: Any) -> int:
    if _whole(value) < 0:
        raise ValueError(f"{value} is no place")
    return int(value)
