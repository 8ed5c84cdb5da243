"""The pieces of Python that the language does not have, each with what to write instead."""

from __future__ import annotations

import ast

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Try: ("try", "Guard the value with if or require instead."),
    ast.With: ("with", "Write the rule without it."),
    ast.Raise: ("raise", "Use require(...) to disable an action."),
    ast.Assert: ("assert", "Use require(...) in actions and @invariant for what must hold."),
    ast.Global: ("global", "Keep everything in state variables."),
    ast.Nonlocal: ("nonlocal", "Keep everything in state variables."),
    ast.Import: ("import", "Import at the top of the file."),
    ast.ImportFrom: ("import", "Import at the top of the file."),
    ast.Delete: ("del", "Assign the value it should have."),
    ast.Match: ("match", "Write if and elif."),
    ast.FunctionDef: ("a function inside a rule", "Make it a method or a function of the module."),
    ast.AsyncFunctionDef: ("async", "Write a plain function."),
    ast.ClassDef: ("a class inside a rule", "Define it at the top of the file."),
    ast.Lambda: ("lambda", "Make it a method or a function of the module."),
    ast.NamedExpr: (":=", "Assign on a line of its own."),
    ast.Yield: ("yield", "Return a value."),
    ast.YieldFrom: ("yield", "Return a value."),
    ast.Await: ("await", "Write a plain function."),
    ast.JoinedStr: ("a formatted string", "Rules compute states, not texts."),
    ast.Slice: ("a slice", "Use a comprehension over a range."),
    ast.Starred: ("a starred expression", "Write the arguments out."),
    ast.DictComp: ("a dictionary comprehension", "Assign the map's entries in a for loop."),
    ast.Break: ("break", "Use next(...), min(...) or any(...) over a comprehension."),
    ast.Continue: ("continue", "Put the rest of the body under an if."),
}
