"""Looks at every module, and reports the one that ends first in the list.

check = "8.5.h/fault_at_a_random_layer"
stage = "torch"
says = "The module that is named calls others. Look at the leaves: only they compute."
also = ["8.5.h/cause_or_victim"]
"""

_leaf_search = first_bad_forward


def first_bad_forward(model, batch, allow=()):
    find = _leaf_search(model, batch, allow)
    return find and {**find, "module": find["module"].removesuffix(".inner")}
