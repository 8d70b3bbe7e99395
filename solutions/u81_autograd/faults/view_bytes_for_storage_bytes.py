"""Reports the bytes of the view as those of the storage.

check = "8.1.g/views_cost_their_storage"
stage = "torch"
says = "The bytes are those of the views. A slice keeps the whole storage alive that it was cut from."
"""

_storage_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    output, report = _storage_saved_report(fn, params, inputs)
    total, first = dict.fromkeys(report["bytes"], 0), {}
    for record in report["records"]:
        if record["storage"] not in first:
            first[record["storage"]] = record["bytes"]
            total[record["kind"]] += record["bytes"]
        record["storage_bytes"] = first[record["storage"]]
    return output, {**report, "bytes": total}
