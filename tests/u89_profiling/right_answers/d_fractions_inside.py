"""Counts with Fractions and turns them into integers at the end."""

from fractions import Fraction


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    if attention not in ("none", "causal", "full") or recompute not in (
        "none",
        "attention",
        "full",
    ):
        raise ValueError
    if any(x < 0 for x in (L, d, T, B, V)):
        raise ValueError
    D = Fraction(B * T)
    part = {"none": 0, "causal": Fraction(1, 2), "full": 1}[attention]
    a = part * 4 * D * T * d * L
    w = 12 * d * d * L
    head = 2 * D * d * V
    f = 2 * w * D + a + head
    r = {"none": 0, "attention": a, "full": f - head}[recompute]
    return {
        k: int(v)
        for k, v in dict(
            forward=f,
            attention=a,
            head=head,
            backward=2 * f,
            model=3 * f,
            recomputed=r,
            hardware=3 * f + r,
        ).items()
    }
