"""Merges touching ranges of one name into one (count too low)."""

_apart = self_total


def self_total(events):
    return _apart(
        [
            e
            for e in events
            if not (
                e["start"] == e["end"]
                and any(
                    o is not e and o["name"] == e["name"] and o["end"] == e["start"] for o in events
                )
            )
        ]
    )
