"""Forgets nothing: once a function was compiled too often, none of its graphs is counted."""


def find_break(fn, *args):
    counter = _Counter()
    torch.compile(fn, backend=counter)(*args)
    reason = ""
    try:
        with torch._dynamo.error_on_graph_break(True):
            torch.compile(fn, backend="eager")(*args)
    except torch._dynamo.exc.TorchDynamoException as error:
        reason = str(error).strip().partition("\n")[0]
    return {
        "broken": bool(reason),
        "reason": reason,
        "graphs": counter.graphs,
        "operators": counter.operators,
    }
