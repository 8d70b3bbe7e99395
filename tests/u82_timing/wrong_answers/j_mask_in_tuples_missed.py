"""Does not look into tuples for masks."""

def _has_mask(index):
    return isinstance(index, torch.Tensor) and index.dtype == torch.bool
