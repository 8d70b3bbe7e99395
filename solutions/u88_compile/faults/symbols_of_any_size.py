"""Lets a symbol stand for 0 and 1 as well.

check = "8.8.b/symbols_stand_for_two_and_more"
stage = "numpy"
says = "A symbol stood for 0 or 1. A graph for any size is still specialised on these two: empty, and broadcast."
also = ["8.8.c/a_second_value_becomes_a_symbol", "8.8.c/static_and_dynamic", "8.8.c/why_it_was_compiled", "8.8.c/a_full_cache", "8.8.c/what_torch_does"]
"""


def _mismatch(old, new, dynamic, _right=_mismatch):
    failed = _right(old, new, dynamic)
    if not failed or failed[0] != "zero_one":
        return failed
    sizes = enumerate(zip(old.shape, new.shape, strict=True))
    wrong = [(i, a, b) for i, (a, b) in sizes if i not in dynamic and a != b]
    return ("size", *wrong[0]) if wrong else None
