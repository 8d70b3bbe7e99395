"""Takes a tuple of results for several, and a list for one."""

_right_capture = capture


def capture(fn, *args, fullgraph=False):
    kept = []

    def once(*given):
        kept.append(fn(*given))
        return kept[0]

    got = _right_capture(once, *args, fullgraph=fullgraph)
    if isinstance(kept[0], list):
        got["output"] = got["output"][0] if got["output"] else None
    return got
