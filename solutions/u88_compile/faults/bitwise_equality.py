"""Demands the same bits.

check = "8.8.j/a_tolerance_is_declared"
stage = "torch"
says = "The same bits were demanded. Compiled code may add in another order: hold both against the declared tolerance."
"""


def compare(model, batch, backend="aot_eager", rtol=1e-5, seed=0, _right=compare):
    return _right(model, batch, backend, 0.0, seed)
