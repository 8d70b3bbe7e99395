"""Holds each entry against rtol times itself."""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and torch.allclose(new, old, rtol=rtol, atol=1e-8)
