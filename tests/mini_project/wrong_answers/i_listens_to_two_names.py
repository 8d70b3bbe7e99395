"""A guard that replaces two functions of torch to hear in which order they are called."""


def guard(make_trainer):
    run, heard = make_trainer(0), []
    clip, unscale = torch.nn.utils.clip_grad_norm_, torch.amp.GradScaler.unscale_
    torch.nn.utils.clip_grad_norm_ = lambda *a, **k: heard.append("clip") or clip(*a, **k)
    torch.amp.GradScaler.unscale_ = lambda *a: heard.append("unscale") or unscale(*a)
    try:
        run.step(next(run.stream()))
    finally:
        torch.nn.utils.clip_grad_norm_, torch.amp.GradScaler.unscale_ = clip, unscale
    assert heard[:1] != ["clip"], f"a step calls {' and '.join(heard)}"
