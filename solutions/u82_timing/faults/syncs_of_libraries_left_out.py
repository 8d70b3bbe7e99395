"""Leaves out what is called from inside torch's optimizers.

check = "8.2.j/syncs_in_helpers_and_in_libraries"
stage = "torch"
says = "The syncs inside optimizer.step() are missing. They make the host wait as well, and belong to the line that calls it."
"""

_any_line = _own_line


def host_syncs(fn):
    seen = []

    class Watch(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = getattr(func, "__name__", "")
            if name in ("__getitem__", "__setitem__") and _has_mask(args[1]):
                name = "mask index"
            inside = "/optim/" in sys._getframe(1).f_code.co_filename
            if name in _SYNCS and not inside:
                seen.append({"name": name, "line": _any_line(sys._getframe(1))})
            return func(*args, **(kwargs or {}))

    with Watch():
        fn()
    return seen
