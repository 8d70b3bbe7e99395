"""Lets the host wait before it hands the op over."""

_plain = simulate


def simulate(ops, sync=1):
    split = []
    for op in ops:
        earlier = {one["name"] for one in split if one["stream"] is not None}
        waits = op.get("waits", [])
        if isinstance(waits, list) and waits and set(waits) <= earlier:
            split.append({"name": (op["name"],), "stream": None, "waits": waits})
            op = {**op, "waits": []}
        split.append(op)
    run = _plain(split, sync)
    return {**run, "ops": {n: row for n, row in run["ops"].items() if isinstance(n, str)}}
