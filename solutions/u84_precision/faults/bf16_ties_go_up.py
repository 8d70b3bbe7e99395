"""Adds half and cuts off, so that ties go away from zero.

check = "8.4.c/bf16_ties_and_neighbours"
stage = "numpy"
says = "A value in the middle always went up. Add one less than half, and one more only where the half that stays is odd."
also = ["8.4.c/bf16_as_torch_rounds_it"]
"""

_even_round_bf16 = round_bf16


def round_bf16(x):
    x = np.asarray(x)
    if x.dtype != np.float32:
        return _even_round_bf16(x)
    bits = x.copy().reshape(-1).view(np.uint32)
    up = ((bits + np.uint32(0x8000)) & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(x).reshape(-1), np.float32(np.nan), up).reshape(x.shape)
