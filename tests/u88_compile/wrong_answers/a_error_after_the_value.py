"""With fullgraph raises at the end, after the function went on."""

def capture(fn, *args, fullgraph=False, _right=capture):
    found = _right(fn, *args)
    if fullgraph and found["breaks"]:
        raise GraphBreak(found["breaks"][0])
    return found
