"""Leaves the hooks on when the function raises.

check = "8.1.g/hooks_are_off_afterwards"
stage = "torch"
says = "After an error the hooks are still there, and see every tensor that the program saves from then on. A with block takes them off in any case."
"""

_tidy_saved_report = saved_report


def saved_report(fn, params=(), inputs=()):
    def guarded():
        try:
            return fn()
        except Exception:
            torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t).__enter__()
            raise

    try:
        return _tidy_saved_report(fn, params, inputs)
    except Exception:
        torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t).__enter__()
        raise
