"""Keeps the dtype of a module's first call.

check = "8.4.j/map_as_its_operators_run"
stage = "torch"
says = "A module that runs twice is listed with the dtype of its first output. The last one is asked for."
also = ["8.4.j/buffers_are_left_as_they_were"]
"""


def _first_calls(model, x, dtype):
    first, handles = {}, []
    for name, module in model.named_modules():
        hook = lambda m, a, out, n=name: first.setdefault(n, out)
        handles.append(module.register_forward_hook(hook))
    with torch.no_grad(), torch.autocast("cpu", dtype=dtype):
        model(x)
    for handle in handles:
        handle.remove()
    return first


_last_call = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _last_call(model, x, y, device, dtype)
    first = _first_calls(model, x, dtype)
    for name in found["modules"]:
        output = first[name][0] if isinstance(first[name], tuple) else first[name]
        found["modules"][name] = str(output.dtype).removeprefix("torch.")
    return found
