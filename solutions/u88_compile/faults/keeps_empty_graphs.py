"""Keeps graphs without operations.

check = "8.8.a/breaks_at_head_and_tail"
stage = "numpy"
says = "A graph without operations was kept. A break at the head or tail makes no graph, which is why counting graphs misses it."
"""


def capture(fn, *args, fullgraph=False):
    tape = _Tape(fullgraph)
    proxies = [
        _Proxy(tape, f"x{position}", arg) if isinstance(arg, np.ndarray) else arg
        for position, arg in enumerate(args)
    ]
    output = fn(*proxies)
    many = isinstance(output, tuple | list)
    parts = list(output) if many else [output]
    names = [part.name if isinstance(part, _Proxy) else part for part in parts]
    values = [part.array if isinstance(part, _Proxy) else part for part in parts]
    return {
        "graphs": tape.graphs if len(tape.graphs) > 1 or tape.graphs[0] else [],
        "breaks": tape.breaks,
        "output": names if many else names[0],
        "value": values if many else values[0],
    }
