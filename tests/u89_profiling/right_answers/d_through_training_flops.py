"""Lists the products and calls training_flops."""


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    if (
        min(L, d, T, B, V) < 0
        or attention not in ("full", "causal", "none")
        or recompute not in ("none", "attention", "full")
    ):
        raise ValueError
    block = [(B * T, d, 3 * d), (B * T, d, d), (B * T, d, 4 * d), (B * T, 4 * d, d)]
    a = {"full": 4, "causal": 2, "none": 0}[attention] * B * T**2 * d * L
    head = 2 * B * T * d * V
    s = training_flops([*block * L, (B * T, d, V)], a, "none")
    again = {"none": 0, "attention": a, "full": s["forward"] - head}[recompute]
    s.update(attention=a, head=head, recomputed=again, hardware=s["model"] + again)
    return s
