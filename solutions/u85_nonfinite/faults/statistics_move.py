"""Leaves the running statistics moved by the search.

check = "8.5.h/model_left_as_it_was"
stage = "torch"
says = "A forward in training mode moves the statistics of a BatchNorm, and a bad batch spoils them. Put the buffers back."
also = ["8.5.h/model_that_raises", "8.5.q/step_left_as_it_was", "8.5.q/loss_that_raises"]
"""


def first_bad_forward(model, batch, allow=()):
    finds, calls, entered = [], {}, {}
    names = {m: name for name, m in model.named_modules() if not list(m.children())}

    def enter(module, args, kwargs):
        entered[module] = all(bool(t.isfinite().all()) for t in _tensors([args, kwargs]))

    def leave(module, args, kwargs, output):
        call = calls[module] = calls.get(module, -1) + 1
        if finds:
            return
        for number, tensor in enumerate(_tensors(output)):
            bad = _first_bad(tensor, names[module] in allow)
            if bad is not None:
                finds.append(
                    {
                        "module": names[module],
                        "call": call,
                        "output": number,
                        "index": bad[0],
                        "kind": bad[1],
                        "born": entered[module],
                    }
                )
                return

    rng = torch.get_rng_state()
    hooks = [m.register_forward_pre_hook(enter, with_kwargs=True) for m in names]
    hooks += [m.register_forward_hook(leave, with_kwargs=True) for m in names]
    try:
        with torch.no_grad():
            _call(model, batch)
    except Exception:
        if not finds:
            raise
    finally:
        for hook in hooks:
            hook.remove()
        torch.set_rng_state(rng)
    return finds[0] if finds else None
