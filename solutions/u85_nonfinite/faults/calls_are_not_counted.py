"""Reports every find as the first call.

check = "8.5.h/one_of_several_calls"
stage = "torch"
says = "The module is used several times. Count its calls, also those that give out nothing bad."
# the same result is looked at there
also = [
  "8.5.h/born_in_that_call",
]
"""


def first_bad_forward(model, batch, allow=()):
    finds, calls, entered = [], {}, {}
    names = {m: name for name, m in model.named_modules() if not list(m.children())}

    def enter(module, args, kwargs):
        entered[module] = all(bool(t.isfinite().all()) for t in _tensors([args, kwargs]))

    def leave(module, args, kwargs, output):
        calls[module] = calls.get(module, -1) + 1
        if finds:
            return
        for number, tensor in enumerate(_tensors(output)):
            bad = _first_bad(tensor, names[module] in allow)
            if bad is not None:
                finds.append(
                    {
                        "module": names[module],
                        "call": 0,
                        "output": number,
                        "index": bad[0],
                        "kind": bad[1],
                        "born": entered[module],
                    }
                )
                return

    buffers = [(buffer, buffer.clone()) for buffer in model.buffers()]
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
        with torch.no_grad():
            for buffer, before in buffers:
                buffer.copy_(before)
    return finds[0] if finds else None
