"""Asks torch.allclose, whose absolute tolerance lets small outputs differ as they like."""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    if old.shape != new.shape:
        return False
    if old.numel() == 0:
        return True
    scale = float(old.abs().max())
    return bool(((old - new).abs() <= rtol * scale + 1e-8).all())
