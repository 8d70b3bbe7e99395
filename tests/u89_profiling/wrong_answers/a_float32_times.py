"""Keeps times in float32, which is microseconds off for the time stamps of a real trace."""

_exact = self_total


def self_total(events):
    low = lambda t: float(np.float32(t))
    return _exact([{**e, "start": low(e["start"]), "end": low(e["end"])} for e in events])
