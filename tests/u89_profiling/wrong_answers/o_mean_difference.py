"""Averages the differences before it compares them."""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and bool((old - new).abs().mean() <= rtol * old.abs().max())
