"""Treats dynamic=False like None.

check = "8.8.c/static_and_dynamic"
stage = "numpy"
says = "With dynamic=False sizes still became symbols. False is not None."
also = ["8.8.c/a_full_cache", "8.8.c/why_it_was_compiled", "8.8.c/what_torch_does"]
"""


def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    return _right(calls, dynamic or None, limit)
