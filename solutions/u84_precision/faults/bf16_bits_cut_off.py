"""Clears the lower half of the bits.

check = "8.4.c/bf16_ties_and_neighbours"
stage = "numpy"
says = "This is what clearing the lower 16 bits gives: every value is cut off towards 0, and half of them differ. Add before you clear."
also = ["8.4.c/bf16_nan_and_overflow", "8.4.c/bf16_as_torch_rounds_it", "8.4.c/bf16_takes_float32_alone"]
"""

_added_round_bf16 = round_bf16


def round_bf16(x):
    x = np.asarray(x)
    if x.dtype != np.float32:
        return _added_round_bf16(x)
    bits = x.copy().reshape(-1).view(np.uint32) & np.uint32(0xFFFF0000)
    cut = np.where(np.isnan(x).reshape(-1), np.float32(np.nan), bits.view(np.float32))
    return cut.reshape(x.shape)
