"""Keeps the values of the buffers, and leaves the tensors that the forward put in their places."""

_j_old_tensors = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _j_old_tensors(model, x, y, device, dtype)
    values = {name: buffer.clone() for name, buffer in model.named_buffers()}
    with torch.no_grad():
        model(x)
        for name, buffer in model.named_buffers():
            if name in values:
                buffer.copy_(values[name])
    return found
