"""Refuses a max_norm without a limit, which is positive."""

_any_limit = guarded_step


def guarded_step(model, optimizer, loss, max_norm=1.0):
    if max_norm == torch.inf:
        raise ValueError("max_norm")
    return _any_limit(model, optimizer, loss, max_norm)
