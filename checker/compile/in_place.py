"""Methods by which Python's own sets, dictionaries and lists change, and what a rule writes instead of each."""

from __future__ import annotations

import ast

from epochal.spec.language import SourceLine
from epochal.spec.language.source_text import present_text

SETS = {
    "add": "{own} = {own} | {{{what}}}",
    "update": "{own} = {own} | {what}",
    "remove": "{own} = {own} - {{{what}}}",
    "discard": "{own} = {own} - {{{what}}}",
    "append": "{own} = {own} | {{{what}}}",
    "pop": "{own} = {own} - {{{what}}}",
    "clear": "{own} = {own} - {own}",
    "difference_update": "{own} = {own} - {what}",
    "intersection_update": "{own} = {own} & {what}",
    "symmetric_difference_update": "{own} = {own} ^ {what}",
}
MAPS = {
    "update": "{own}[key] = value for each entry",
    "setdefault": "{own}[key] = value",
    "get": "{own}[key], which has a value for every key",
    "pop": "{own}[key] = value: a map has a value for every key",
    "clear": "{own}[key] = value in a for loop over {own}",
    "add": "{own}[{what}] = value",
    "append": "{own}[key] = {what}",
}
LOGS = {
    "add": "{own}.append({what})",
    "extend": "{own}.append(...) for each entry",
    "insert": "{own}.append({what}): a log grows at its end",
    "pop": "{own}.truncate(len({own}) - 1)",
    "remove": "{own}.truncate(length): a log shrinks at its end",
    "clear": "{own}.truncate(0)",
}
EXAMPLES = {"sets": ("self.s", "x"), "maps": ("self.m", "key"), "logs": ("self.log", "entry")}


def instead(words: frozenset[str], name: str, where: SourceLine | None) -> str:
    """What to write instead of a method of Python's own collections; "" if there is nothing to say.

    `words` are the methods that the value has: they tell sets, maps and logs. `where` is the line that was being run,
    of which the names are taken.
    """
    kind = "sets" if "union" in words else "maps" if "keys" in words else "logs" if "truncate" in words else ""
    text = {"sets": SETS, "maps": MAPS, "logs": LOGS}.get(kind, {}).get(name)
    if text is None:
        return ""
    own, what = _called(name, where) or EXAMPLES[kind]
    return f"Write {text.format(own=own, what=what or EXAMPLES[kind][1])}."


def _called(name: str, where: SourceLine | None) -> tuple[str, str] | None:
    """What a method is called on in a line, and with what, as text; None if the line cannot be read alone."""
    text = None if where is None else present_text(where.file)
    line = "" if text is None or where is None else text.line(where.line).strip()
    try:
        tree = ast.parse(line)
    except SyntaxError:  # a part of a longer statement
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name:
            return ast.unparse(node.func.value), ", ".join(map(ast.unparse, node.args))
    return None
