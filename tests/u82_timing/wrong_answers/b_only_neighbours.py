"""Compares each op with the last one that touched the buffer alone."""

_plain = races


def races(ops):
    found, last = _plain(ops), {}
    kept = []
    for op in ops:
        for buffer in [*op.get("reads", []), *op.get("writes", [])]:
            if buffer in last and [last[buffer], op["name"]] in found:
                kept.append([last[buffer], op["name"]])
            last[buffer] = op["name"]
    return [pair for number, pair in enumerate(kept) if pair not in kept[:number]]
