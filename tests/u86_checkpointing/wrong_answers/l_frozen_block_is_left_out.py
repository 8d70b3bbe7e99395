"""Gives the block itself where no parameter needs a gradient."""

_any_block = checkpoint_by_hand


def checkpoint_by_hand(block, x):
    if not any(parameter.requires_grad for parameter in block.parameters()):
        return block(x)
    return _any_block(block, x)
