"""Counts the arrows of the longest way instead of its nodes."""

_original = graph_nodes


def graph_nodes(outputs):
    result = _original(outputs)
    return {**result, "depth": max(result["depth"] - 1, 0)}
