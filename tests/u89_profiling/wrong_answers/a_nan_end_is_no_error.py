"""Refuses a NaN start and an infinite end but lets a NaN end and an infinite start through."""

_finite = self_total


def self_total(events):
    for e in events:
        if math.isnan(e["start"]) or e["end"] == math.inf or e["end"] < e["start"]:
            raise ValueError("bad")
    kept = [e for e in events if math.isfinite(e["end"]) and math.isfinite(e["start"])]
    return _finite(kept)
