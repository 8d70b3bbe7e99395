"""Counts a tied parameter under each of its names."""

_once = post_mortem


def post_mortem(model, batch, loss_fn):
    report = _once(model, batch, loss_fn)
    stored = dict(model.named_parameters(remove_duplicate=False))
    stored |= dict(model.named_buffers(remove_duplicate=False))
    report["numbers"]["weights"] = sum(nonfinite_counts(stored).values())
    return report
