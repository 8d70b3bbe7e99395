"""Answers with zeros where there are no tokens, no sequences or no width."""

_g_something = transformer_activation_bytes


def transformer_activation_bytes(s, b, h, a, **named):
    sizes = [1 if type(n) is int and n == 0 else n for n in (s, b, h)]
    if sizes == [s, b, h]:
        return _g_something(s, b, h, a, **named)
    _g_something(*sizes, 1)
    return dict.fromkeys(("norms", "attention", "scores", "mlp", "input", "total"), 0)
