"""Asks for the gradients of all parameters, as if the output depended on each."""

_plain = boundary_report


def boundary_report(model, x, tolerance=1e-5, threads=2, compiler=None):
    grad = torch.autograd.grad
    torch.autograd.grad = lambda loss, parameters, **options: grad(loss, parameters)
    try:
        return _plain(model, x, tolerance, threads, compiler)
    except RuntimeError as error:
        raise ArithmeticError from error
    finally:
        torch.autograd.grad = grad
