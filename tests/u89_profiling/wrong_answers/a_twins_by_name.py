"""Makes the alphabetically later of two equal ranges the parent, whatever the order of the list."""

_by_list = self_total


def self_total(events):
    return _by_list(sorted(events, key=lambda e: e["name"], reverse=True))
