"""Keeps the counter in a Python integer.

check = "8.8.i/warmup_is_compiled_once"
stage = "torch"
says = "Each count is compiled anew, until the limit: the guard is on the value of the integer."
source = "pytorch/pytorch#128319"
"""

make_warmup = FaultyWarmup
