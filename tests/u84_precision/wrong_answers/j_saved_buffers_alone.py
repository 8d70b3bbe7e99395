"""Puts back the buffers that a state_dict holds, and no others."""

_j_restored = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _j_restored(model, x, y, device, dtype)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        model(x)
    model.load_state_dict(state)
    return found
