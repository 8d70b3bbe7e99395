"""Fills old gradients with zeros: a parameter without a new one is decayed as if it had one."""

_k_dropped = amp_step


def amp_step(model, optimizer, *arguments, **named):
    plain = optimizer.zero_grad
    optimizer.zero_grad = lambda set_to_none=True: plain(set_to_none=False)
    try:
        return _k_dropped(model, optimizer, *arguments, **named)
    finally:
        del optimizer.zero_grad
