"""Compares only whether gradients are there, not their values."""

_values = _agree
_kept_first = _first_step


def _first_step(make, make_base, seed):
    outputs, gradients = _kept_first(make, make_base, seed)
    return outputs, {n: None if g is None else torch.zeros(1) for n, g in gradients.items()}
