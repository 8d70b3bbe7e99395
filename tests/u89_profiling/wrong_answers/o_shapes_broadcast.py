"""Lets tensors of different shapes broadcast."""

def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return bool(((old - new).abs() <= rtol * old.abs().max()).all())
