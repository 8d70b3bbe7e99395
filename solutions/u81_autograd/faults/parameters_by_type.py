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
    inputs, types = list(inputs), []
    known = {_storage_key(tensor) for tensor in inputs}

    class Recorder(torch.autograd.graph.saved_tensors_hooks):
        pass

    def watched():
        with Recorder(
            lambda t: (
                types.append((isinstance(t, nn.Parameter), _storage_key(t) in known)),
                t.detach(),
            )[1],
            lambda t: t,
        ):
            return fn()

    _, report = _by_storage_saved_report(fn, params, inputs)
    watched()
    total, seen = dict.fromkeys(report["bytes"], 0), set()
    for record, (parameter, given) in zip(report["records"], types, strict=True):
        if record["kind"] == "parameter" and not parameter:
            record["kind"] = "input" if given else "activation"
        if record["storage"] not in seen:
            seen.add(record["storage"])
            total[record["kind"]] += record["storage_bytes"]
    return _by_storage_saved_report(fn, params, inputs)[0], {**report, "bytes": total}
