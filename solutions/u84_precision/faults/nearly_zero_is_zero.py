"""Compares with zero by np.isclose.

check = "8.4.f/words_for_values_that_torch_cast"
stage = "numpy"
says = "A tiny result was taken for 0. np.isclose has an absolute tolerance, which is far above the small numbers of bfloat16: compare exactly."
"""

_exact_survives = survives


def survives(values, exponent, mantissa, infinity=True):
    words = _exact_survives(values, exponent, mantissa, infinity)
    near = np.isclose(np.asarray(values, dtype=np.float64), 0.0, rtol=0.0, atol=1e-12)
    return [
        "underflow" if close and word == "rounded" else word
        for word, close in zip(words, near, strict=True)
    ]
