"""Uses the old form and makes its input require a gradient.

check = "8.6.h/gradients_asked_for_by_name"
stage = "torch"
says = "torch.autograd.grad was refused: the old form of checkpoint calls backward inside the backward. Use use_reentrant=False."
source = "pytorch/pytorch#65537"
"""


class _Tricked(_Segments):
    def forward(self, x):
        for part in self.parts:
            if torch.is_grad_enabled() and not x.requires_grad:
                x = x.detach().requires_grad_()
            x = checkpoint(self._twice(part), x, use_reentrant=True)
        return x

    def _twice(self, part):
        as_they_were = _BuffersAsTheyWere(part)
        first = [True]

        def run(x):
            if first.pop() if first else False:
                return part(x)
            with as_they_were:
                return part(x)

        return run


def checkpointed(model, segments):
    return _Tricked(model, segments)
