"""Trusts fullgraph=True, which lets values be read.

check = "8.8.e/values_that_are_read"
stage = "torch"
says = "This is what fullgraph=True says. It lets .item() and sizes that depend on data be captured, where compiling without it breaks the graph."
also = ["8.8.e/what_is_no_break"]
"""


def find_break(fn, *args, _right=find_break):
    found = _right(fn, *args)
    torch._dynamo.reset()
    try:
        torch.compile(fn, backend="eager", fullgraph=True)(*args)
        found |= {"broken": False, "reason": ""}
    except torch._dynamo.exc.TorchDynamoException:
        pass
    torch._dynamo.reset()
    return found
