"""Trusts the counters, which do not count a branch on a value.

check = "8.8.e/breaks_between_operations"
stage = "torch"
says = "This is what the counter of graph breaks says. It stays at 0 for a branch on a value."
also = ["8.8.e/breaks_at_the_edges", "8.8.e/what_is_no_break", "8.8.m/closed_book"]
"""


def find_break(fn, *args, _right=find_break):
    from torch._dynamo.utils import counters

    found = _right(fn, *args)
    counters.clear()
    torch.compile(fn, backend="eager")(*args)
    if not sum(counters["graph_break"].values()):
        found |= {"broken": False, "reason": ""}
    torch._dynamo.reset()
    return found
