"""Saves the output beside the input, at the width of the inside."""


class _Both2(_ByHand):
    @staticmethod
    def forward(ctx, block, x, *parameters):
        y = _ByHand.forward(ctx, block, x, *parameters)
        ctx.extra = [layer_input.clone() for layer_input in [x] * 6]
        return y


def checkpoint_by_hand(block, x):
    return _Both2.apply(block, x, *block.parameters())
