"""The graph of the consumer's modules against the provider's, as SVG.

networkx gives the layers (its topological generations, which need no numpy as its layouts do); within a
layer modules are ordered by where their neighbours are, which keeps lines from crossing.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import networkx as nx

from driftcheck.queries.structs import Edge

ROW = 26
WIDTH = 900
MARGIN = 20
_ROUNDS = 6


def positions(edges: Sequence[Edge]) -> dict[tuple[str, str], tuple[float, float]]:
    """Where each module is drawn; keys are (side, name), the side ``consumer`` or ``provider``."""
    graph = nx.DiGraph()
    for edge in edges:
        graph.add_edge(("consumer", edge.consumer), ("provider", edge.provider), weight=edge.uses)
    layers = [sorted(layer) for layer in nx.topological_generations(graph)]
    for _ in range(_ROUNDS):
        for at, layer in enumerate(layers):
            other = layers[at - 1] if at else layers[min(1, len(layers) - 1)]
            place = {node: number / max(len(other), 1) for number, node in enumerate(other)}
            layer.sort(key=lambda node, place=place: (_centre(graph, node, place), node))  # type: ignore[misc]
    height = max((len(layer) for layer in layers), default=0) * ROW
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for layer in layers:
        step = height / len(layer)
        for number, node in enumerate(layer):
            x = WIDTH * (0.39 if node[0] == "consumer" else 0.6)
            found[node] = (x, MARGIN + step * (number + 0.5))
    return found


def svg(edges: Sequence[Edge], at: int) -> str:
    """The drawing, coloured by the states on the release with that number; a script may colour it anew."""
    places = positions(edges)
    height = max((y for _, y in places.values()), default=0) + MARGIN + ROW / 2
    parts = [
        f'<svg id="graph" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="modules of the consumer and the modules of the provider that they use">'
    ]
    for edge in edges:
        x1, y1 = places["consumer", edge.consumer]
        x2, y2 = places["provider", edge.provider]
        middle = (x1 + x2) / 2
        title = escape(f"{edge.consumer} uses {edge.provider} ({edge.uses} uses)")
        parts.append(
            f'<path class="edge s-{edge.states[at]}" data-states="{escape(" ".join(edge.states))}" '
            f'data-from="{escape(edge.consumer)}" data-to="{escape(edge.provider)}" '
            f'stroke-width="{min(1 + edge.uses / 6, 5):.1f}" '
            f'd="M{x1:.0f} {y1:.1f} C{middle:.0f} {y1:.1f} {middle:.0f} {y2:.1f} {x2:.0f} {y2:.1f}">'
            f"<title>{title}</title></path>"
        )
    for (side, name), (x, y) in places.items():
        left = side == "consumer"
        anchor, shift = ("end", -9) if left else ("start", 9)
        parts.append(
            f'<g class="node" data-side="{side}" data-name="{escape(name)}" tabindex="0">'
            f'<circle cx="{x:.0f}" cy="{y:.1f}" r="4.5"/>'
            f'<text x="{x + shift:.0f}" y="{y + 4:.1f}" text-anchor="{anchor}">{escape(_short(name))}'
            f"<title>{escape(name)}</title></text></g>"
        )
    parts.append("</svg>")
    return "".join(parts)


def _centre(graph: nx.DiGraph, node: tuple[str, str], place: dict[tuple[str, str], float]) -> float:
    """The mean place of a node's neighbours in the other layer, weighted by uses."""
    total = weight = 0.0
    for other in (*graph.successors(node), *graph.predecessors(node)):
        if other in place:
            uses = graph.get_edge_data(node, other, graph.get_edge_data(other, node))["weight"]
            total += uses * place[other]
            weight += uses
    return total / weight if weight else 0.0


def _short(name: str) -> str:
    """A dotted name that fits its side of the drawing."""
    return name if len(name) <= 44 else "…" + name[-43:]
