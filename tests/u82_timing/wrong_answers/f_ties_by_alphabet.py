"""Takes the first in the alphabet of equal savings."""

_plain = bottleneck


def bottleneck(ops, sync=1):
    result = _plain(ops, sync)
    savings = result["savings"]
    return {**result, "bound": max(sorted(savings), key=savings.get)}
