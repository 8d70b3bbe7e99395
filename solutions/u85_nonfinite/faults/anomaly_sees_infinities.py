"""Lets anomaly detection see infinities.

check = "8.5.g/what_each_detector_sees"
stage = "numpy"
says = "Anomaly detection looks for NaN alone: an infinite gradient passes it."
also = ["8.5.g/live_detectors"]
"""


def detectors(trace, nodes, allow=()):
    anomaly = node = False
    for step in nodes:
        given, out = (
            [np.asarray(gradient) for gradient in step[side] if gradient is not None]
            for side in ("incoming", "outgoing")
        )
        anomaly = anomaly or any(not np.all(np.isfinite(g)) for g in out)
        clean = all(np.all(np.isfinite(g)) for g in given)
        node = node or (clean and not all(np.all(np.isfinite(g)) for g in out))
    return {
        "forward": first_invalid(trace, allow) is not None,
        "anomaly": bool(anomaly),
        "node": bool(node),
    }
