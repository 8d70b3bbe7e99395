"""Looks for the break first, and counts with a module as the backend."""

def find_break(fn, *args):
    torch._dynamo.reset()
    reason, nodes = "", []

    def backend(gm, inputs):
        nodes.append([node for node in gm.graph.nodes if node.op not in ("placeholder", "output")])
        return gm

    try:
        torch._dynamo.error_on_graph_break(True)(torch.compile(fn, backend="eager"))(*args)
    except torch._dynamo.exc.TorchDynamoException as error:
        reason = str(error).strip().split("\n")[0]
    torch._dynamo.reset()
    torch.compile(fn, backend=backend)(*args)
    calls = [node for graph in nodes for node in graph if node.op != "get_attr"]
    return {"broken": reason != "", "reason": reason, "graphs": len(nodes), "operators": len(calls)}
