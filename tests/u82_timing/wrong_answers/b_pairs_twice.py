"""Reports a pair once for each buffer."""

_plain = races


def races(ops):
    table = {op["name"]: op for op in ops}
    pairs = []
    for one, other in _plain(ops):
        first, second = table[one], table[other]
        touched = {*first.get("reads", []), *first.get("writes", [])}
        shared = touched & {*second.get("reads", []), *second.get("writes", [])}
        pairs += [[one, other]] * len(shared)
    return pairs
