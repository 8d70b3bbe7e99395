"""A loop over products, weights and inputs apart; extra keys."""


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    if attention_forward < 0 or recompute not in ("none", "attention", "full"):
        raise ValueError
    fwd = bwd = 0
    for i, (m, k, n) in enumerate(matmuls):
        if min(m, k, n) < 0:
            raise ValueError
        fwd += 2 * m * k * n
        bwd += 2 * k * m * n
        if i or first_input_needs_grad:
            bwd += 2 * m * n * k
    fwd += attention_forward
    bwd += 2 * attention_forward
    again = fwd if recompute == "full" else attention_forward if recompute == "attention" else 0
    return {
        "forward": fwd,
        "backward": bwd,
        "model": fwd + bwd,
        "recomputed": again,
        "hardware": fwd + bwd + again,
        "mfu_note": "model / time / peak",
    }
