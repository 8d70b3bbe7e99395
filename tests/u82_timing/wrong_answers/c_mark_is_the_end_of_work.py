"""Takes the end of the work before it for the moment a mark is reached, whenever it was put there."""


def _mark(run, ops, streams):
    ends = [run["ops"][op["name"]]["end"] for op in ops if op["stream"] in streams]
    return max(ends, default=0)
