"""Compares the buffers in the state dict, which not all are."""

_all_buffers = _step


def _step(make, x, seed):
    kept = []

    def keep():
        kept.append(make())
        return kept[-1]

    found = _all_buffers(keep, x, seed)
    names = kept[0].state_dict()
    found["buffers"] = [(name, buffer) for name, buffer in found["buffers"] if name in names]
    return found
