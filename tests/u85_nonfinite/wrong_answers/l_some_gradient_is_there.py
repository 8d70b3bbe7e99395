"""Stacks the squares of all gradients, of which there may be none."""

_careful = guarded_step


def guarded_step(model, optimizer, loss, max_norm=1.0):
    report = _careful(model, optimizer, loss, max_norm)
    if report["norm"] == 0 and not report["bad"] and report["stepped"]:
        torch.stack([])
    return report
