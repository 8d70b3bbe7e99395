"""Builds the terms as a sorted list of pairs first."""

_ri = explain_gap


def explain_gap(predicted, measured, live):
    found = _ri(predicted, measured, live)
    pairs = sorted(found["terms"].items(), key=lambda pair: abs(pair[1]), reverse=True)
    return {**found, "terms": dict(pairs)}
