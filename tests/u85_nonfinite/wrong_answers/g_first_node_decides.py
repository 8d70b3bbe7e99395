"""Lets the node hook judge the first bad node alone, and take its word for all."""


def detectors(trace, nodes, allow=()):
    anomaly = node = False
    for step in nodes:
        given, out = (
            [np.asarray(gradient) for gradient in step[side] if gradient is not None]
            for side in ("incoming", "outgoing")
        )
        anomaly = anomaly or any(np.any(np.isnan(g)) for g in out)
        clean = all(np.all(np.isfinite(g)) for g in given)
        node = (clean and not all(np.all(np.isfinite(g)) for g in out))
    return {
        "forward": first_invalid(trace, allow) is not None,
        "anomaly": bool(anomaly),
        "node": bool(node),
    }
