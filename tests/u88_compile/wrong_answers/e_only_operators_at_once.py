"""Counts the operators of the last graph alone."""

def find_break(fn, *args, _right=find_break):
    found = _right(fn, *args)
    sizes = []

    def backend(gm, inputs):
        sizes.append(sum(node.op.startswith("call") for node in gm.graph.nodes))
        return gm.forward

    torch.compile(fn, backend=backend)(*args)
    return {**found, "operators": sizes[-1] if sizes else 0}
