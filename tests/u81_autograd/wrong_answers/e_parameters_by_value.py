"""Takes an equal array for a parameter."""

_original = saved_bytes


def saved_bytes(saved, params):
    rest = [a for a in saved if not any(np.array_equal(a, p) for p in params)]
    return {**_original(rest, params), "packs": len(saved)}
