"""Trusts the count of explain.

check = "8.8.e/breaks_at_the_edges"
stage = "torch"
says = "This is what explain says: one less than the number of graphs. A break before the first or after the last operation leaves one graph."
also = ["8.8.e/values_that_are_read", "8.8.e/what_is_no_break"]
source = "tenstorrent/tt-torch#852"
"""


def find_break(fn, *args, _right=find_break):
    found = _right(fn, *args)
    torch._dynamo.reset()
    if torch._dynamo.explain(fn)(*args).graph_break_count <= 0:
        found |= {"broken": False, "reason": ""}
    torch._dynamo.reset()
    return found
