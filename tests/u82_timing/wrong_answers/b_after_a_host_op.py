"""Lets the device wait for an op of the host."""

_plain = races


def races(ops):
    on_host = {op["name"] for number, op in enumerate(ops) if op["stream"] is None}
    return _plain(
        [
            {**op, "after": [name for name in op.get("after", []) if name not in on_host]}
            if op["stream"] is not None
            else op
            for op in ops
        ]
    )
