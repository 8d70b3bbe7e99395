"""Calls every subnormal result an underflow."""

_true = survives


def survives(values, exponent, mantissa, infinity=True):
    normal = format_limits(exponent, mantissa, infinity)["smallest_normal"]
    words = _true(values, exponent, mantissa, infinity)
    return ["underflow" if word == "rounded" and abs(v) < normal else word
            for v, word in zip(values, words, strict=True)]
