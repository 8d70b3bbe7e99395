"""Leaves the gradients that the model had as other tensors, of zeros where there were none."""

_whole = recompute_report


def recompute_report(model, x, segments, meter, early_stop=True):
    report = _whole(model, x, segments, meter, early_stop)
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    return report
