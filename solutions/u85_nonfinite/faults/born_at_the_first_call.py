"""Remembers what went into a module at its first call alone.

check = "8.5.h/born_in_that_call"
stage = "torch"
says = "This is what went into the first call of that module. A module may be called several times, and each call has inputs of its own."
"""


class _FirstCall(dict):
    def __setitem__(self, key, value):
        self.setdefault(key, value)


def first_bad_forward(model, batch, allow=()):
    finds, calls, entered = [], {}, _FirstCall()
    names = {m: name for name, m in model.named_modules() if not list(m.children())}

    def enter(module, args, kwargs):
        entered[module] = all(bool(t.isfinite().all()) for t in _tensors([args, kwargs]))

    def leave(module, args, kwargs, output):
        call = calls[module] = calls.get(module, -1) + 1
        for number, tensor in enumerate(_tensors(output)):
            bad = _first_bad(tensor, names[module] in allow)
            if bad is not None and not finds:
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

    buffers, rng = _buffers(model), torch.get_rng_state()
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
        _put_back(buffers)
    return finds[0] if finds else None
