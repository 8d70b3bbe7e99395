"""Clips each parameter's gradient on its own."""

_true = amp_step
_clip = nn.utils.clip_grad_norm_


def amp_step(model, optimizer, scaler, *arguments, **named):
    def each(parameters, max_norm):
        parameters = list(parameters)
        norm = _clip(parameters, math.inf)
        for parameter in parameters:
            _clip([parameter], max_norm)
        return norm

    nn.utils.clip_grad_norm_ = each
    try:
        return _true(model, optimizer, scaler, *arguments, **named)
    finally:
        nn.utils.clip_grad_norm_ = _clip
