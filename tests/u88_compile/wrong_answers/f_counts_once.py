"""Says that one graph was compiled where there were two."""

def compile_counts(fn, calls, dynamic=None, _right=compile_counts):
    counts = _right(fn, calls, dynamic)
    return {**counts, "compiled": [min(1, number) for number in counts["compiled"]]}
