"""Runs a block again with all of its modules in the mode of the block."""


class _InEval(_ByHand):
    @staticmethod
    def forward(ctx, block, x, *parameters):
        ctx.mode = block.training
        return _ByHand.forward(ctx, block, x, *parameters)

    @staticmethod
    def backward(ctx, grad):
        ctx.block.train(ctx.mode)
        return _ByHand.backward(ctx, grad)


def checkpoint_by_hand(block, x):
    return _InEval.apply(block, x, *block.parameters())
