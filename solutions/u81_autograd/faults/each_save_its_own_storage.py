"""Gives each saved tensor a storage of its own.

check = "8.1.g/report_of_an_mlp"
stage = "torch"
says = "Each save was taken for a storage of its own. ReLU and the next Linear save one tensor: two records, one storage."
also = [
  "8.1.g/parameters_by_storage",
  "8.1.g/views_cost_their_storage",
  "8.1.g/edges_of_a_report",
  "8.1.l/closed_book_counts",
]
"""

_shared_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    output, report = _shared_saved_report(fn, params, inputs)
    total = dict.fromkeys(report["bytes"], 0)
    for number, record in enumerate(report["records"]):
        record["storage"] = number
        total[record["kind"]] += record["storage_bytes"]
    return output, {**report, "bytes": total}
