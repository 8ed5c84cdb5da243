"""The neighbourhood of a trace as a graph in DOT: its states, and every state one step away from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.checker.reading import PythonReading, Reading
from epochal.checker.trace.explain import claim, protocol_name, shown_bounds, told_between
from epochal.checker.trace.run import Codes, Run
from epochal.spec.language import EvaluationError
from epochal.spec.language.views import told_lines

if TYPE_CHECKING:
    from networkx import MultiDiGraph

NEIGHBOUR_LIMIT = 200
CHANGE_LIMIT = 6


@dataclass(frozen=True)
class Neighbourhood:
    """The graph, and what is not in it: comments for its reader. Nodes are codes, edges have an action's label."""

    graph: MultiDiGraph[Codes]
    path: tuple[Codes, ...]
    remarks: tuple[str, ...]


def neighbourhood(trace: Run, reading: Reading, limit: int = NEIGHBOUR_LIMIT) -> Neighbourhood:
    """The states of a trace with all their direct successors, at most `limit` states beside those of the trace."""
    import networkx

    graph: MultiDiGraph[Codes] = networkx.MultiDiGraph()
    path = tuple(trace.states)
    on_path = dict.fromkeys(path)
    graph.add_nodes_from(on_path)
    left_out: dict[Codes, None] = {}
    remarks = []
    for before in on_path:
        try:
            steps = reading.successors(before) if reading.within_constraint(before) else []
        except EvaluationError as error:
            remarks.append(f"the steps from state {path.index(before)} cannot be evaluated: {error.message}")
            continue
        for instance, after in steps:
            if after not in graph and graph.number_of_nodes() - len(on_path) >= limit:
                left_out[after] = None
            else:
                graph.add_edge(before, after, label=instance.label)
    for number, step in enumerate(trace.steps, start=1):
        edges = graph.get_edge_data(path[number - 1], step.codes) or {}
        if not any(edge["label"] == step.instance.label for edge in edges.values()):
            remarks.append(f"step {number}, {step.instance.label}, is not possible in the {reading.name} reading")
            graph.add_edge(path[number - 1], step.codes, label=step.instance.label)
    if trace.closing is not None and trace.loop is not None:
        back = path[trace.loop]
        edges = graph.get_edge_data(path[-1], back) or {}
        if not any(edge["label"] == trace.closing.label for edge in edges.values()):
            graph.add_edge(path[-1], back, label=trace.closing.label)
    if left_out:
        remarks.append(f"limited to {limit} of {limit + len(left_out)} states beside the trace")
    return Neighbourhood(graph, path, tuple(remarks))


def dot(trace: Run, all_fields: bool = False, reading: Reading | None = None) -> str:
    """The neighbourhood as DOT text; the trace is red. Successors are those of `reading`, by default of Python.

    Views tell the states, or with `all_fields` every field. Raises LanguageError for a view that fails.
    """
    found = neighbourhood(trace, reading or PythonReading(trace.protocol))
    taken = {(before, step.instance.label, step.codes) for before, step in zip(found.path, trace.steps, strict=False)}
    if trace.closing is not None and trace.loop is not None:
        taken.add((found.path[-1], trace.closing.label, found.path[trace.loop]))
    numbers = {codes: number for number, codes in enumerate(found.graph.nodes)}
    places = {codes: index for index, codes in reversed(list(enumerate(found.path)))}
    lines = [f"// {_comment(remark)}" for remark in found.remarks]
    lines += ["digraph neighbourhood {", f"  label={_quoted(_title(trace))};"]
    lines.append('  node [shape=box, fontname="monospace", fontsize=10];')
    for codes, number in numbers.items():
        if codes in places:
            text = _state_text(trace, places[codes], codes, all_fields)
            lines.append(f"  s{number} [label={_quoted(text)}, color=red, penwidth=2];")
        else:
            nearest = next(iter(found.graph.predecessors(codes)))
            lines.append(f"  s{number} [label={_quoted(_changes_text(trace, nearest, codes, all_fields))}];")
    for before, after, label in found.graph.edges(data="label"):
        style = ", color=red, fontcolor=red, penwidth=2" if (before, label, after) in taken else ""
        lines.append(f"  s{numbers[before]} -> s{numbers[after]} [label={_quoted(label)}{style}];")
    if trace.loop is not None and trace.closing is None:
        last = numbers[found.path[-1]]
        ever = _quoted("for ever: nothing changes any more")
        lines.append(f"  s{last} -> s{last} [label={ever}, color=red, fontcolor=red, penwidth=2, style=dashed];")
    return "\n".join([*lines, "}"]) + "\n"


def _title(trace: Run) -> str:
    return f"{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}"


def _state_text(trace: Run, index: int, codes: Codes, all_fields: bool) -> str:
    if index == 0:
        lines = told_lines(trace.protocol, codes, all_fields)
        return "\n".join(["state 0", *(f"{head}: {text}" for head, text in lines.items())])
    return f"state {index}\n{_changes_text(trace, trace.states[index - 1], codes, all_fields)}"


def _changes_text(trace: Run, before: Codes, after: Codes, all_fields: bool) -> str:
    """What a step makes different, the first few lines of it."""
    changes = [str(told) for told in told_between(trace.protocol, before, after, all_fields)] or ["nothing changes"]
    more = [f"+{len(changes) - CHANGE_LIMIT} more"] if len(changes) > CHANGE_LIMIT else []
    return "\n".join([*changes[:CHANGE_LIMIT], *more])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
    return f'"{escaped}\\l"' if "\n" in text else f'"{escaped}"'


def _comment(text: str) -> str:
    return " ".join(text.split())
