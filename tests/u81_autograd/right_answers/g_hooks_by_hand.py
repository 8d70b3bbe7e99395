"""Enters the hooks by hand, and numbers storages by the id of their objects, which it keeps."""

def saved_report(fn, params=(), inputs=()):
    alive, records = [], []

    def number(t):
        alive.append(t.untyped_storage())
        return id(alive[-1])

    params, inputs = set(map(number, params)), set(map(number, inputs))

    def pack(t):
        alias, place = t.detach(), number(t)
        records.append(
            {
                "shape": list(t.size()),
                "dtype": repr(t.dtype)[6:],
                "bytes": t.nbytes,
                "storage": place,
                "storage_bytes": t.untyped_storage().nbytes(),
                "kind": "parameter"
                if place in params
                else ("input" if place in inputs else "activation"),
            }
        )
        return t._version, alias

    def unpack(pair):
        if pair[0] != pair[1]._version:
            raise RuntimeError("edited")
        return pair[1]

    hooks = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
    hooks.__enter__()
    try:
        output = fn()
    finally:
        hooks.__exit__(None, None, None)
        alive.clear()
    total = {"parameter": 0, "input": 0, "activation": 0}
    for kind, size, _ in {(r["kind"], r["storage_bytes"], r["storage"]) for r in records}:
        total[kind] += size
    return output, {"records": records, "packs": len(records), "bytes": total}
