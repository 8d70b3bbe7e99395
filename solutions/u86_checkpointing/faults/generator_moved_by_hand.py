"""Leaves the generator where the second run ended.

check = "8.6.l/masks_by_hand"
stage = "torch"
says = "The gradients are right, but the backward left the generator at an old place: the next step draws masks again that were used already."
"""


class _Moving(_ByHand):
    @staticmethod
    def backward(ctx, grad):
        result = _ByHand.backward(ctx, grad)
        _put_back(ctx.states, ctx.saved_tensors[0])
        return result


def checkpoint_by_hand(block, x):
    return _Moving.apply(block, x, *block.parameters())
