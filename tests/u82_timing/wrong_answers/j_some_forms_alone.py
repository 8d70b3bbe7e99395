"""Compares functions in place of names, and knows one form of those that have two."""

_FORMS = {
    torch.nonzero: "nonzero",
    torch.Tensor.nonzero: "nonzero",
    torch.masked_select: "masked_select",
    torch.Tensor.unique: "unique",
    torch.equal: "equal",
    torch.Tensor.allclose: "allclose",
    **{getattr(torch.Tensor, name): name for name in ("item", "tolist", "numpy", "cpu")},
    **{getattr(torch.Tensor, name): name for name in _SYNCS if name.startswith("__")},
}


def host_syncs(fn):
    seen = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = _FORMS.get(func)
            if func in (torch.Tensor.__getitem__, torch.Tensor.__setitem__):
                name = "mask index" if _has_mask(args[1]) else None
            if name is not None:
                seen.append({"name": name, "line": _own_line(sys._getframe(1))})
            return func(*args, **(kwargs or {}))

    with Watch():
        fn()
    return seen
