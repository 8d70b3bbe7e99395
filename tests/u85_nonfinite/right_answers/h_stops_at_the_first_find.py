"""Stops the model by an exception of its own, and returns lists."""


class _Stop(BaseException):
    pass


def first_bad_forward(model, batch, allow=()):
    state = {k: v.clone() for k, v in model.named_buffers()}
    calls, clean, hooks = {}, {}, []
    names = {}
    for name, m in model.named_modules():
        if not any(True for _ in m.children()):
            names[m] = name

    def pre(m, args, kwargs):
        clean[m] = not any((~t.isfinite()).any() for t in _tensors([args, kwargs]))

    def post(m, args, output):
        calls[m] = calls.get(m, 0) + 1
        for n, t in enumerate(_tensors(output)):
            bad = _first_bad(t, names[m] in allow)
            if bad:
                raise _Stop({"module": names[m], "call": calls[m] - 1, "output": n,
                             "index": list(bad[0]), "kind": bad[1], "born": clean[m]})

    for m in names:
        hooks += [m.register_forward_pre_hook(pre, with_kwargs=True), m.register_forward_hook(post)]
    try:
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            _call(model, batch)
    except _Stop as stop:
        return stop.args[0]
    finally:
        [hook.remove() for hook in hooks]
        with torch.no_grad():
            for k, v in model.named_buffers():
                v.copy_(state[k])
