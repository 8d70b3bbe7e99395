"""Keeps the scores of all heads on every device."""

_g_heads = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    parts = _g_heads(s, b, h, a, **named)
    more = parts["scores"] * (named.get("tensor_parallel", 1) - 1)
    return {**parts, "scores": parts["scores"] + more, "total": parts["total"] + more}
