"""Fills old gradients with zeros instead of dropping them.

check = "8.4.k/parameter_without_a_gradient_stays"
stage = "torch"
says = "Old gradients were set to 0 and not to None. To an optimizer a 0 is a gradient: it decays the weight and moves it by old moments. Use set_to_none=True."
"""

_none_step = amp_step


def amp_step(model, optimizer, *arguments, **named):
    zero_grad = optimizer.zero_grad
    optimizer.zero_grad = lambda set_to_none=True: zero_grad(set_to_none=False)
    try:
        return _none_step(model, optimizer, *arguments, **named)
    finally:
        del optimizer.zero_grad
