"""Sees NaN and +inf alone at a node."""


def detectors(trace, nodes, allow=()):
    def bad(g):
        return np.any(np.isnan(g) | (np.asarray(g) == np.inf))

    anomaly = node = False
    for step in nodes:
        given = [g for g in step["incoming"] if g is not None]
        out = [g for g in step["outgoing"] if g is not None]
        anomaly = anomaly or any(np.any(np.isnan(g)) for g in out)
        node = node or (not any(bad(g) for g in given) and any(bad(g) for g in out))
    forward = first_invalid(trace, allow) is not None
    return {"forward": forward, "anomaly": bool(anomaly), "node": bool(node)}
