"""Tells storages apart by their address alone.

check = "8.1.g/storages_that_die"
stage = "torch"
says = "Storages were told apart by address. One that has died hands its address on to the next; keep what you have counted while the function runs."
also = [
  "8.1.g/edges_of_a_report",
]
"""


def saved_report(fn, params=(), inputs=()):
    kinds = {t.untyped_storage().data_ptr(): "input" for t in inputs}
    kinds |= {t.untyped_storage().data_ptr(): "parameter" for t in params}
    numbers, records = {}, []

    def pack(tensor):
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        records.append(
            {
                "shape": list(tensor.shape),
                "dtype": str(tensor.dtype).removeprefix("torch."),
                "bytes": tensor.numel() * tensor.element_size(),
                "storage": numbers.setdefault(key, len(numbers)),
                "storage_bytes": storage.nbytes(),
                "kind": kinds.get(key, "activation"),
            }
        )
        return tensor.detach(), tensor._version

    def unpack(packed):
        tensor, version = packed
        if tensor._version != version:
            raise RuntimeError("modified by an inplace operation")
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        output = fn()
    sizes = {record["storage"]: (record["kind"], record["storage_bytes"]) for record in records}
    total = dict.fromkeys(("parameter", "input", "activation"), 0)
    for kind, size in sizes.values():
        total[kind] += size
    return output, {"records": list(records), "packs": len(records), "bytes": total}
