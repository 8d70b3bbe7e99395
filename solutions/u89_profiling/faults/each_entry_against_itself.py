"""Holds each entry against a share of itself.

check = "8.9.o/sound_code_is_not_rejected"
stage = "torch"
says = "Each entry was held against itself, so that one near zero rejects sound code. Hold the differences against the largest entry."
# sound code differs in the last bits there as well
also = ["8.9.o/gain_or_null", "8.9.o/changed_outputs_are_rejected"]
"""


def _agree(old, new, rtol):
    if old is None or new is None:
        return old is new
    return old.shape == new.shape and bool(((old - new).abs() <= rtol * old.abs()).all())
