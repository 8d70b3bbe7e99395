"""Looks at the last value of the forward alone.

check = "8.5.g/live_detectors"
stage = "numpy"
says = "A bad value of the forward need not reach the last one: a softmax makes a 0 of a -inf. Look at every value."
"""


def detectors(trace, nodes, allow=()):
    anomaly = node = False
    for step in nodes:
        given, out = (
            [np.asarray(gradient) for gradient in step[side] if gradient is not None]
            for side in ("incoming", "outgoing")
        )
        anomaly = anomaly or any(np.any(np.isnan(g)) for g in out)
        clean = all(np.all(np.isfinite(g)) for g in given)
        node = node or (clean and not all(np.all(np.isfinite(g)) for g in out))
    return {
        "forward": first_invalid(trace[-1:], allow) is not None,
        "anomaly": bool(anomaly),
        "node": bool(node),
    }
