"""Lets the node hook see whatever a node gives out.

check = "8.5.g/what_each_detector_sees"
stage = "numpy"
says = "The node hook compares: a node that was given a bad gradient is a victim."
also = ["8.5.g/live_detectors"]
"""


def detectors(trace, nodes, allow=()):
    anomaly = node = False
    for step in nodes:
        _, out = (
            [np.asarray(gradient) for gradient in step[side] if gradient is not None]
            for side in ("incoming", "outgoing")
        )
        anomaly = anomaly or any(np.any(np.isnan(g)) for g in out)
        node = node or (not all(np.all(np.isfinite(g)) for g in out))
    return {
        "forward": first_invalid(trace, allow) is not None,
        "anomaly": bool(anomaly),
        "node": bool(node),
    }
