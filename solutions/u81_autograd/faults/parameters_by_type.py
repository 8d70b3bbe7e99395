"""Takes a saved tensor for a parameter if it is an nn.Parameter.

check = "8.1.g/parameters_by_storage"
stage = "torch"
says = "Parameters were recognised by their type. Linear and einsum save views of theirs, which are plain tensors: look at the storage."
also = [
  "8.1.g/report_of_an_mlp",
  "8.1.g/edges_of_a_report",
  "8.1.l/closed_book_counts",
]
"""

_by_storage_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    real, types = torch.autograd.graph.saved_tensors_hooks, []

    def typed(pack, unpack):
        return real(lambda t: (types.append(isinstance(t, nn.Parameter)), pack(t))[1], unpack)

    torch.autograd.graph.saved_tensors_hooks = typed
    try:
        output, report = _by_storage_saved_report(fn, params, inputs)
    finally:
        torch.autograd.graph.saved_tensors_hooks = real
    total, seen = dict.fromkeys(report["bytes"], 0), set()
    for record, parameter in zip(report["records"], types, strict=True):
        if record["kind"] == "parameter" and not parameter:
            record["kind"] = "activation"
        if record["storage"] not in seen:
            seen.add(record["storage"])
            total[record["kind"]] += record["storage_bytes"]
    return output, {**report, "bytes": total}
