"""Compares the two means.

check = "8.9.e/ratio_and_interval"
stage = "numpy"
says = "This is the ratio of the two means. The pairs are lost, and with them what the machine did to both times of a pair."
"""

_ratio_of_pairs = paired_bootstrap


def paired_bootstrap(a, b, seed):
    result = _ratio_of_pairs(a, b, seed)
    return {**result, "ratio": float(np.mean(a) / np.mean(b))}
