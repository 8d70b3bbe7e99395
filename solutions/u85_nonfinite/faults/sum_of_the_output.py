"""Asks whether the sum of an output is finite.

check = "8.5.h/models_without_a_fault"
stage = "torch"
says = "The sum of finite values can overflow, in float16 at once. Look at the entries."
also = ["8.5.h/allowed_masks_of_a_model", "8.5.p/guard_leaves_inputs_alone"]
"""

_entries = _first_bad


def _first_bad(tensor, allow_masked=False):
    if tensor.numel() and tensor.is_floating_point() and not tensor.sum().isfinite():
        return _entries(tensor, allow_masked) or ((0,) * tensor.dim(), "+inf")
    return _entries(tensor, allow_masked)
