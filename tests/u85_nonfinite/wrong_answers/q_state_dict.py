"""Counts what is in the state dict, which not all buffers are."""

_all_buffers = post_mortem


def post_mortem(model, batch, loss_fn):
    report = _all_buffers(model, batch, loss_fn)
    stored = {id(t): t for t in model.state_dict(keep_vars=True).values()}
    report["numbers"]["weights"] = sum(nonfinite_counts(stored).values())
    return report
