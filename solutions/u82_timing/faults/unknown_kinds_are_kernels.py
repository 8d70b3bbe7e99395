"""Takes work of any other kind for a kernel.

check = "8.2.f/no_bottleneck"
stage = "numpy"
says = "Work of an unknown kind was accepted. Whoever misspells a kind should hear of it."
"""

_fair_bottleneck = bottleneck


def bottleneck(ops, sync=1):
    named = [
        op if op["stream"] is None or op.get("kind") == "copy" else {**op, "kind": "compute"}
        for op in ops
    ]
    return _fair_bottleneck(named, sync)
