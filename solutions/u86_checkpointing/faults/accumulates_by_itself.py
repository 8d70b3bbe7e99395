"""Calls backward inside the backward.

check = "8.6.l/gradients_by_hand"
stage = "torch"
says = "The gradients of the parameters were put into .grad by a backward inside the backward, and torch.autograd.grad got none. Return them instead."
"""


class _Accumulating(_ByHand):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        now = _generators(x)
        _put_back(ctx.states, x)
        with torch.enable_grad():
            inner = x.detach().requires_grad_(ctx.needs_input_grad[1])
            y = ctx.block(inner)
        _put_back(now, x)
        y.backward(grad)
        return None, inner.grad, *(None for _ in ctx.needs_input_grad[2:])


def checkpoint_by_hand(block, x):
    return _Accumulating.apply(block, x, *block.parameters())
