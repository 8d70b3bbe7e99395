"""Keeps no result at all.

check = "8.6.k/no_product_twice"
stage = "torch"
says = "The products were run twice: this is plain checkpointing."
# the same result is looked at there
also = [
  "8.6.k/the_rest_is_run_again",
]
"""


def selective(model, segments):
    return _Segments(model, segments)
