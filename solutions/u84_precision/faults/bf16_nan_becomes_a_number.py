"""Rounds the bits of a NaN like those of a number.

check = "8.4.c/bf16_nan_and_overflow"
stage = "numpy"
says = "A NaN was rounded: with its ones in the lower half it becomes infinity, with ones everywhere it wraps round to zero. Treat NaN apart."
also = ["8.4.c/bf16_as_torch_rounds_it"]
"""


def round_bf16(x):
    x = np.asarray(x)
    if x.dtype != np.float32:
        raise ValueError(f"round_bf16 takes float32, not {x.dtype}")
    bits = x.copy().reshape(-1).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32).reshape(x.shape)
