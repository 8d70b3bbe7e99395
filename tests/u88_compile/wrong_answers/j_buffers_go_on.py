"""Runs the compiled model from the buffers that the uncompiled one left."""

_fresh_copies = compare


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0):
    twin, plain, last = copy.deepcopy(model), copy.deepcopy, []

    def copied(value):
        if isinstance(value, nn.Module):
            again = plain(value)
            if last:
                again.load_state_dict(last[-1].state_dict())
            last.append(again)
            return again
        return plain(value)

    copy.deepcopy = copied
    try:
        return _fresh_copies(twin, batch, backend, rtol, seed)
    finally:
        copy.deepcopy = plain
