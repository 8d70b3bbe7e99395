"""Never promotes: a graph for each size and number.

check = "8.8.c/a_second_value_becomes_a_symbol"
stage = "numpy"
says = "Each new value was compiled. At the second one the place becomes a symbol, which serves the following ones."
also = ["8.8.c/why_it_was_compiled", "8.8.c/a_full_cache", "8.8.c/what_torch_does"]
source = "pytorch/pytorch#114293"
"""


def compile_log(calls, dynamic=None, limit=8, _right=compile_log):
    return _right(calls, bool(dynamic), limit)
