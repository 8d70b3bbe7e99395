"""Looks in evaluation mode, and puts the mode of the root back in every module."""

_j_modes_kept = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    mode = model.training
    model.eval()
    try:
        return _j_modes_kept(model, x, y, device, dtype)
    finally:
        model.train(mode)
