"""Gives savings as shares of the total."""

_plain = bottleneck


def bottleneck(ops, sync=1):
    result = _plain(ops, sync)
    shares = {word: size / result["total"] for word, size in result["savings"].items()}
    return {**result, "savings": shares}
