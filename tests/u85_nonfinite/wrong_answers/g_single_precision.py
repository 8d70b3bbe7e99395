"""Looks at gradients in float32, where a large float64 is infinite."""

_wide = detectors


def detectors(trace, nodes, allow=()):
    def single(values):
        with np.errstate(over="ignore"):
            return [None if v is None else np.asarray(v).astype(np.float32) for v in values]

    nodes = [
        {"name": n["name"], "incoming": single(n["incoming"]), "outgoing": single(n["outgoing"])}
        for n in nodes
    ]
    return _wide(trace, nodes, allow)
