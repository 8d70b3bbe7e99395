"""Lets anomaly detection look at what comes in as well."""


def detectors(trace, nodes, allow=()):
    anomaly = node = False
    for step in nodes:
        given, out = (
            [np.asarray(gradient) for gradient in step[side] if gradient is not None]
            for side in ("incoming", "outgoing")
        )
        anomaly = anomaly or any(np.any(np.isnan(g)) for g in given + out)
        clean = all(np.all(np.isfinite(g)) for g in given)
        node = node or (clean and not all(np.all(np.isfinite(g)) for g in out))
    return {
        "forward": first_invalid(trace, allow) is not None,
        "anomaly": bool(anomaly),
        "node": bool(node),
    }
