"""Uses math.prod and sum over a dict of products; extra keys."""


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    for x in (L, d, T, B, V):
        if x < 0:
            raise ValueError(x)
    try:
        share = dict(none=0, causal=2, full=4)[attention]
        {"none", "attention", "full"}.__contains__(recompute) or {}[recompute]
    except KeyError as error:
        raise ValueError(str(error)) from None
    products = {
        "qkv": (2, B, T, d, 3, d),
        "proj": (2, B, T, d, d),
        "up": (2, B, T, d, 4, d),
        "down": (2, B, T, 4, d, d),
    }
    blocks = L * sum(map(math.prod, products.values()))
    att, head = math.prod((share, L, B, T, T, d)), math.prod((2, B, T, d, V))
    fwd = blocks + att + head
    again = blocks + att if recompute == "full" else att if recompute == "attention" else 0
    return dict(
        forward=fwd,
        attention=att,
        head=head,
        backward=fwd + fwd,
        model=fwd * 3,
        recomputed=again,
        hardware=fwd * 3 + again,
        blocks=blocks,
    )
