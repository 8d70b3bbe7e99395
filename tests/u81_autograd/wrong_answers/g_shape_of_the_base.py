"""Reports the elements of the storage as shape."""

_original = saved_report


def saved_report(fn, params=(), inputs=()):
    output, report = _original(fn, params, inputs)
    for record in report["records"]:
        if record["kind"] == "parameter" and len(record["shape"]) == 2:
            record["shape"] = record["shape"][::-1]
    return output, report
