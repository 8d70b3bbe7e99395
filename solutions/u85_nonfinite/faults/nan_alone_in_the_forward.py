"""Looks for NaN alone.

check = "8.5.h/the_infinity_before_the_nan"
stage = "torch"
says = "The output was inf before it was NaN. Looking for NaN alone blames the module behind."
also = ["8.5.h/fault_at_a_random_layer", "8.5.h/first_entry_however_it_lies", "8.5.h/tensors_inside_an_output", "8.5.h/allowed_masks_of_a_model", "8.5.h/cause_or_victim", "8.5.h/model_left_as_it_was", "8.5.h/models_without_a_fault", "8.5.q/cause_of_a_step", "8.5.q/every_call_counts"]
source = "huggingface/transformers#5651, huggingface/transformers#9487"
"""


def _first_nan_of(tensor):
    nan = tensor.isnan()
    return (tuple(nan.nonzero()[0].tolist()), "nan") if nan.any() else None


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
            bad = _first_nan_of(tensor)
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
