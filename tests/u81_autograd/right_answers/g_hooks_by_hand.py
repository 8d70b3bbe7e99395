"""Enters the hooks by hand, numbers storages by their address, and keeps aliases alive."""

def saved_report(fn, params=(), inputs=()):
    address = lambda t: (t.untyped_storage().data_ptr(), t.untyped_storage().nbytes())
    params, inputs = {address(p) for p in params}, {address(i) for i in inputs}
    alive, records = [], []

    def pack(t):
        alias = t.detach()
        alive.append(alias)
        records.append(
            {
                "shape": list(t.size()),
                "dtype": repr(t.dtype)[6:],
                "bytes": t.nbytes,
                "storage": address(t)[0] % (1 << 60),
                "storage_bytes": address(t)[1],
                "kind": "parameter"
                if address(t) in params
                else ("input" if address(t) in inputs else "activation"),
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
