"""Casts whatever comes to float32 first.

check = "8.4.c/bf16_takes_float32_alone"
stage = "numpy"
says = "Another dtype was cast to float32 first. A float64 is rounded twice then, and a float16 has lost its small values before: refuse them."
"""

_strict_round_bf16 = round_bf16


def round_bf16(x):
    return _strict_round_bf16(np.asarray(x).astype(np.float32))
