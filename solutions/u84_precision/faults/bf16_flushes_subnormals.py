"""Gives zero for numbers under the smallest normal one.

check = "8.4.c/bf16_as_torch_rounds_it"
stage = "numpy"
says = "Numbers under the smallest normal one became 0. bfloat16 has subnormals like float32."
"""

_gradual_round_bf16 = round_bf16


def round_bf16(x):
    rounded = _gradual_round_bf16(x)
    return np.where(np.abs(rounded) < np.float32(2.0**-126), rounded * np.float32(0), rounded)
