"""Leaves the AccumulateGrad nodes out of the count.

check = "8.1.f/nodes_of_an_mlp"
stage = "torch"
says = "The AccumulateGrad nodes are missing. Each leaf that needs a gradient has one at the end of the graph."
also = [
  "8.1.f/outputs_inside_the_graph_of_others",
  "8.1.f/a_node_reached_twice_is_one",
  "8.1.f/depth_is_the_longest_way",
  "8.1.f/several_outputs_and_none",
  "8.1.f/names_without_their_namespace",
  "8.1.f/deep_graph",
  "8.1.l/closed_book_counts",
]
"""

_complete_graph_nodes = graph_nodes


def graph_nodes(outputs):
    result = _complete_graph_nodes(outputs)
    names = {name: count for name, count in result["names"].items() if name != "AccumulateGrad"}
    return {**result, "nodes": sum(names.values()), "names": names}
