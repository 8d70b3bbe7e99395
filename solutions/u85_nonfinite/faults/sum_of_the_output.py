"""Asks whether the sum of an output is finite.

check = "8.5.h/models_without_a_fault"
stage = "torch"
says = "The sum of finite values can overflow, in float16 at once. Look at the entries."
# the same result is looked at there
also = [
  "8.5.h/first_entry_however_it_lies",
]
"""


def _bad_sum(tensor):
    # -inf beside it may be a mask
    bad = tensor.numel() and tensor.sum().isposinf()
    return ((0,) * tensor.dim(), "+inf") if bad else None


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
            bad = _first_bad(tensor, names[module] in allow) or _bad_sum(tensor)
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
