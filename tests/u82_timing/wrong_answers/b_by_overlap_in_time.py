"""Reports what overlaps in time."""

def races(ops):
    run = _run(ops, 1)["ops"]
    spans = {}
    for op in ops:
        row = run[op["name"]]
        whole = (row["called"], row["returned"])
        spans[op["name"]] = whole if op["stream"] is None else (row["start"], row["end"])
    found = []
    for place, op in enumerate(ops):
        for other in ops[:place]:
            late = spans[other["name"]][1] > spans[op["name"]][0]
            if late and _share(op, other):
                found.append([other["name"], op["name"]])
    return found
