"""Clips each parameter's gradient on its own."""

_k_clips_together = amp_step


def amp_step(model, optimizer, scaler, batches, max_norm=None, **named):
    if max_norm is None or not max_norm > 0:
        return _k_clips_together(model, optimizer, scaler, batches, max_norm, **named)

    def clip(*_):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                nn.utils.clip_grad_norm_([parameter], max_norm)

    handle = optimizer.register_step_pre_hook(clip)
    try:
        return _k_clips_together(model, optimizer, scaler, batches, **named)
    finally:
        handle.remove()
