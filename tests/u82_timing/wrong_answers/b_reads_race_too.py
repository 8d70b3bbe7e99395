"""Reports two ops that only read."""

_plain = races


def races(ops):
    return _plain([{**op, "writes": [*op.get("writes", []), *op.get("reads", [])]} for op in ops])
