"""Reports norms and clips nothing."""

_true, _clip = closed_book_amp, nn.utils.clip_grad_norm_


def closed_book_amp(steps, bad_step, growth_interval):
    cross_entropy = F.cross_entropy
    nn.utils.clip_grad_norm_ = lambda parameters, max_norm: _clip(parameters, math.inf)
    F.cross_entropy = lambda logits, y: 50 * cross_entropy(logits, y)
    try:
        return _true(steps, bad_step, growth_interval)
    finally:
        nn.utils.clip_grad_norm_, F.cross_entropy = _clip, cross_entropy
