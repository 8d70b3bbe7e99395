"""Holds differences against rtol itself: small gradients may be anything."""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and bool(
        ((old - new).abs() <= rtol * max(1.0, float(old.abs().max()))).all()
    )
