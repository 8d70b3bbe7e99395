"""Looks at outputs that are tensors alone.

check = "8.5.h/tensors_inside_an_output"
stage = "torch"
says = "An output may be a list, a tuple or a dict of tensors, nested. Go through them in order."
also = [
  "8.5.h/cause_or_victim",
  "8.5.h/born_in_that_call",
]
"""


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
