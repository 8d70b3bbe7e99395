"""Runs the block again in training mode."""


class _Trained(_ByHand):
    @staticmethod
    def backward(ctx, grad):
        ctx.block.train()
        return _ByHand.backward(ctx, grad)


def checkpoint_by_hand(block, x):
    return _Trained.apply(block, x, *block.parameters())
