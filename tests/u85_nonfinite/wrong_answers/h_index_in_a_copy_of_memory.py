"""Takes the index in a flat view of memory."""


def _first_bad(tensor, allow_masked=False):
    bad = ~tensor.isfinite()
    if allow_masked:
        bad &= tensor != -torch.inf
    if not bad.any():
        return None
    flat = torch.as_strided(tensor, (tensor.numel(),), (1,)).isfinite().logical_not().nonzero()[0]
    index = tuple(int(i) for i in torch.unravel_index(flat[0], tensor.shape))
    value = tensor[index].item()
    return index, "+inf" if value > 0 else "-inf" if value < 0 else "nan"
