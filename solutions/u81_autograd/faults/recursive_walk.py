"""Walks the graph by recursion.

check = "8.1.f/deep_graph"
stage = "torch"
says = "The walk is recursive, and a graph of 20 000 nodes is deeper than Python's stack. Use a list as a stack of your own."
"""


def graph_nodes(outputs):
    depth, names = {}, {}

    def visit(node):
        if node in depth:
            return depth[node]
        name = node.name().rpartition("::")[2]
        names[name] = names.get(name, 0) + 1
        sources = [source for source, _ in node.next_functions if source is not None]
        depth[node] = 1 + max((visit(source) for source in sources), default=0)
        return depth[node]

    tensors = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    for tensor in tensors:
        if tensor.grad_fn is not None:
            visit(tensor.grad_fn)
    return {
        "nodes": len(depth),
        "leaves": names.get("AccumulateGrad", 0),
        "names": names,
        "depth": max(depth.values(), default=0),
    }
