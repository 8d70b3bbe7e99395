"""Keeps the results of linear layers alone.

check = "8.6.k/no_product_twice"
stage = "torch"
says = "Products of batches were run twice: torch.bmm, and torch.matmul of more than two dimensions, are aten.bmm."
"""


def _linears_alone(context, operation, *arguments, **named):
    if operation in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default):
        return CheckpointPolicy.MUST_SAVE
    return CheckpointPolicy.PREFER_RECOMPUTE


def selective(model, segments):
    return _Segments(model, segments, keep=_linears_alone)
