"""Stacks the masks and asks for all."""


def additive_mask(keeps, dtype):
    if len(keeps) < 1 or {k.dtype for k in keeps} != {torch.bool}:
        raise ValueError("boolean masks")
    keep = torch.stack(torch.broadcast_tensors(*keeps)).all(dim=0)
    return (~keep).to(dtype) * (torch.finfo(dtype).min / 2) + 0.0
