"""Gradients by backward, with the old ones put back."""

_plain = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    kept = {p: p.grad for p in model.parameters()}
    grad = torch.autograd.grad

    def by_backward(loss, parameters, **options):
        for p in parameters:
            p.grad = None
        loss.backward()
        return [p.grad for p in parameters]

    torch.autograd.grad = by_backward
    try:
        return _plain(model, x, tolerance, threads, compiler)
    finally:
        torch.autograd.grad = grad
        for p, value in kept.items():
            p.grad = value
