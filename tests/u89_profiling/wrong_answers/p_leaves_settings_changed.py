"""Leaves two threads, float64 as default, gradients off and a seeded RNG behind."""

_clean = closed_book_step


def closed_book_step(trace_path):
    r = _clean(trace_path)
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    return r
