"""Object arrays of Python integers."""


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    if recompute not in {"none", "attention", "full"}:
        raise ValueError(recompute)
    a = np.array([list(p) for p in matmuls], dtype=object).reshape(-1, 3)
    if (a < 0).any() or attention_forward < 0:
        raise ValueError("negative")
    per = 2 * a.prod(axis=1)
    f = (per.sum() if len(per) else 0) + attention_forward
    b = 2 * f - (per[0] if len(per) and not first_input_needs_grad else 0)
    r = {"none": 0, "attention": attention_forward, "full": f}[recompute]
    return dict(hardware=f + b + r, recomputed=r, model=f + b, backward=b, forward=f)
