"""Hands on the gradient of weights, not of biases."""


def checkpoint_by_hand(block, x):
    return _ByHand.apply(block, x, *(p for p in block.parameters() if p.ndim > 1))
