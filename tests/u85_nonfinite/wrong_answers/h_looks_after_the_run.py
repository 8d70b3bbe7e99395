"""Keeps the outputs and looks at them when the model has run: what works in place has changed them."""


def first_bad_forward(model, batch, allow=()):
    kept, calls, entered = [], {}, {}
    names = {m: name for name, m in model.named_modules() if not list(m.children())}

    def enter(module, args, kwargs):
        entered[module] = all(bool(t.isfinite().all()) for t in _tensors([args, kwargs]))

    def leave(module, args, kwargs, output):
        call = calls[module] = calls.get(module, -1) + 1
        kept.append((names[module], call, list(_tensors(output)), entered[module]))

    def finds():
        for name, call, tensors, born in kept:
            for number, tensor in enumerate(tensors):
                bad = _first_bad(tensor, name in allow)
                if bad is not None:
                    yield dict(module=name, call=call, output=number, index=bad[0], kind=bad[1],
                               born=born)  # fmt: skip

    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
    rng = torch.get_rng_state()
    hooks = [m.register_forward_pre_hook(enter, with_kwargs=True) for m in names]
    hooks += [m.register_forward_hook(leave, with_kwargs=True) for m in names]
    try:
        with torch.no_grad():
            _call(model, batch)
    except Exception:
        if not next(finds(), None):
            raise
    finally:
        for hook in hooks:
            hook.remove()
        torch.set_rng_state(rng)
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)
    return next(finds(), None)
