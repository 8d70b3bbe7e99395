"""Looks at the tokens, and believes every other number that is not below 1."""

_g_counts = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, *, tensor_parallel=1, **named):
    def whole(n):
        return int(n) if isinstance(n, int | float) and 1 <= n < math.inf else n

    b, h, a, t = (whole(n) for n in (b, h, a, tensor_parallel))
    return _g_counts(s, b, h, a, tensor_parallel=t, **named)
