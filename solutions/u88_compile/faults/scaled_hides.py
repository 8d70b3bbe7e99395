"""Hides the function from the compiler.

check = "8.8.g/scaled_gives_the_same"
stage = "torch"
says = "Nothing is compiled: disable takes the function away from the compiler, break and all."
"""

_hidden = torch.compiler.disable(faulty_scaled)


def scaled(x):
    return _hidden(x)
