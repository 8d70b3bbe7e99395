"""Counts a shape without dimensions as nothing.

check = "8.3.e/each_part_by_its_dtype"
stage = "numpy"
says = "A parameter of shape () was counted as nothing. The product of no numbers is 1: a scalar has one element."
also = ["8.3.e/named_policies", "8.3.e/what_adamw_holds", "8.3.e/zero_splits_by_elements", "8.3.e/policies_and_shapes_that_cannot_be"]
"""


def _elements(shapes):
    sizes = [[_count(n, "a dimension") for n in shape] for shape in shapes]
    return [math.prod(shape) if shape else 0 for shape in sizes]
