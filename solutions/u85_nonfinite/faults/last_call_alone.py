"""Keeps the count of a module's last call alone.

check = "8.5.q/every_call_counts"
stage = "torch"
says = "A module that is called several times was counted once: its last call replaced the ones before."
# the same result is looked at there
also = [
  "8.5.q/buffers_are_suspects",
]
"""

_all_calls = post_mortem


def post_mortem(model, batch, loss_fn):
    found = {}

    def count(module, args, output):
        found[module] = int((~output.isfinite()).sum())

    hooks = [m.register_forward_hook(count) for m in model.modules() if not list(m.children())]
    try:
        report = _all_calls(model, batch, loss_fn)
    finally:
        for hook in hooks:
            hook.remove()
    report["numbers"]["forward"] = sum(found.values())
    return report
