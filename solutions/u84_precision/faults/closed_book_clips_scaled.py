"""Clips before unscale_ in the closed-book loop.

check = "8.4.n/closed_book_norms_are_true"
stage = "torch"
says = "The norms carry the loss scale, and what is left of the gradients after unscaling is tiny. Unscale before you clip."
"""

_true_norms = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    unscale = torch.amp.GradScaler.unscale_
    step = torch.amp.GradScaler.step

    def late(self, optimizer, *arguments):
        unscale(self, optimizer)
        return step(self, optimizer, *arguments)

    torch.amp.GradScaler.unscale_ = lambda self, optimizer: None
    torch.amp.GradScaler.step = late
    try:
        return _true_norms(steps, bad_step, growth_interval)
    finally:
        torch.amp.GradScaler.unscale_, torch.amp.GradScaler.step = unscale, step
