"""Takes off the digits and the word Backward.

check = "8.1.f/names_without_their_namespace"
stage = "torch"
says = "The names are shortened too far. A node of your own Function ends in Backward, without a digit."
"""

_named_graph_nodes = graph_nodes


def graph_nodes(outputs):
    result = _named_graph_nodes(outputs)
    names = {}
    for name, count in result["names"].items():
        name = name if name.endswith("0") or name == "AccumulateGrad" else f"{name}0"
        names[name] = count
    return {**result, "names": names}
