"""Calculates with the integers of NumPy that came in, which overflow."""


def transformer_activation_bytes(
    s, b, h, a, *, tensor_parallel=1, sequence_parallel=False, recompute="none"
):
    for n in (s, b, h, a, tensor_parallel):
        _count(n, "a size", least=1)
    t = tensor_parallel
    if h % t or a % t or (sequence_parallel and s % t):
        raise ValueError(f"s={s}, h={h} and a={a} cannot be split by {t}")
    if recompute not in ("none", "selective", "full"):
        raise ValueError(f"no recomputation is called {recompute!r}")
    n = s * b * h
    rest = n // t if sequence_parallel else n
    parts = {"norms": 4 * rest, "attention": 3 * rest + 8 * n // t,
             "scores": 5 * (a // t) * s * s * b if recompute == "none" else 0,
             "mlp": 3 * rest + 16 * n // t, "input": 0}  # fmt: skip
    if recompute == "full":
        parts = {**dict.fromkeys(parts, 0), "input": 2 * n}
    return {**parts, "total": sum(parts.values())}
