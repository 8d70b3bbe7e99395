"""Wants a gradient for every parameter."""


class _All(_ByHand):
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        now = _generators(x)
        _put_back(ctx.states, x)
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            y = ctx.block(inner)
        _put_back(now, x)
        return None, *torch.autograd.grad(y, [inner, *ctx.block.parameters()], grad)


def checkpoint_by_hand(block, x):
    return _All.apply(block, x, *block.parameters())
