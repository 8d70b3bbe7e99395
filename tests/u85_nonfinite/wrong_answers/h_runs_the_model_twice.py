"""Runs the model once for a look at its output, and then again with hooks."""

_searched = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    rng = torch.get_rng_state()
    find = _searched(model, batch, allow)
    try:
        with torch.no_grad():
            _call(model, batch)
    except Exception:
        pass
    torch.set_rng_state(rng)
    with torch.no_grad():
        for buffer, before in buffers:
            buffer.copy_(before)
    return find
