import sys

from torch.overrides import TorchFunctionMode

_READS = {"item", "tolist", "numpy", "__float__", "__int__", "__bool__", "__index__"}


class _Reads(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.count = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        caller = sys._getframe(1)
        while caller and caller.f_code.co_filename.endswith(("_tensor.py", "overrides.py")):
            caller = caller.f_back
        file = caller.f_code.co_filename if caller else ""
        self.count += getattr(func, "__name__", "") in _READS and "/torch/" not in file
        return func(*args, **(kwargs or {}))


def discriminate(make_trainer):
    """Values read back in a step, less those of its forward: a branch there breaks the graph."""
    run = make_trainer(0)
    batch = next(run.stream())
    run.step(batch)
    with _Reads() as step:
        run.step(batch)
    with _Reads() as forward:
        run.forward(batch)
    return step.count - forward.count


def guard(make_trainer):
    """Fail when a step reads a value back."""
    reads = discriminate(make_trainer)
    assert reads == 0, f"{reads} values are read back in a step"
