"""Holds differences against the tolerance itself.

check = "8.9.o/each_gradient_by_name_and_value"
stage = "torch"
says = "Differences were held against the tolerance itself. Gradients are small numbers: hold theirs against the largest of them."
"""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and bool(((old - new).abs() <= rtol).all())
