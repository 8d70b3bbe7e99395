"""Reports the first module of the list that is bad, not the first that ran."""


_by_run = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    find = _by_run(model, batch, allow)
    if find is None:
        return None
    for name, module in model.named_modules():
        if not list(module.children()):
            seen = []
            hook = module.register_forward_hook(
                lambda m, a, out: seen.extend(_first_bad(t, name in allow) for t in _tensors(out)))
            try:
                with torch.no_grad(), torch.random.fork_rng(devices=[]):
                    _call(model, batch)
            except Exception:
                pass
            hook.remove()
            if any(seen):
                return {**find, "module": name}
    return find
