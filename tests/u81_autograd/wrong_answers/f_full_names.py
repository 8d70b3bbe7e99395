"""Reports the names with their namespace."""

_original = graph_nodes


def graph_nodes(outputs):
    result = _original(outputs)
    names = dict(result["names"])
    if "AccumulateGrad" in names:
        names["torch::autograd::AccumulateGrad"] = names.pop("AccumulateGrad")
    return {**result, "names": names}
