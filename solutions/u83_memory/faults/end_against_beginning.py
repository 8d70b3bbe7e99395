"""Compares the end with the beginning.

check = "8.3.n/growth_that_is_no_leak"
stage = "torch"
says = "Growth that happened once was called a leak. A cache that fills up and a work space end somewhere; a leak grows with every step."
also = ["8.3.n/every_counted_step_decides"]
"""


def _rises(numbers):
    return numbers[-1] > numbers[0]
