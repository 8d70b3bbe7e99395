"""Looks at the times of ops that have a stream alone."""


def simulate(ops, sync=1):
    if not all(_is_time(op.get("launch", 0)) for op in ops if op["stream"] is not None):
        raise ValueError("a time is none")
    strange = {
        op["name"]: op["launch"]
        for op in ops
        if op["stream"] is None and not _is_time(op.get("launch", 0))
    }
    return _run([{**op, "launch": 0} if op["name"] in strange else op for op in ops], sync)
