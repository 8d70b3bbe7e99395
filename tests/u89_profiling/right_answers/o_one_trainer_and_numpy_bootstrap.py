"""Seeds before making, model(x) with gradients on in a trainer of its own, losses as Python floats, bootstrap with NumPy."""

import numpy as np


def verify_optimization(base, new, samples, controls, *, steps=4, rtol=1e-4, seed=0):
    def agree(a, b):
        if a is None or b is None:
            return a is None and b is None
        a, b = (
            torch.as_tensor(a, dtype=torch.float64).detach(),
            torch.as_tensor(b, dtype=torch.float64).detach(),
        )
        return a.shape == b.shape and bool(
            torch.all(torch.abs(a - b) <= rtol * torch.max(torch.abs(a)))
        )

    seen = []
    batch = next(iter(base(seed).batches))
    for make in (base, new):
        t = make(seed)
        x, y = t.transfer(batch)
        torch.manual_seed(seed)
        out = t.model(x)
        t = make(seed)
        x, y = t.transfer(batch)
        torch.manual_seed(seed)
        loss = t.forward(x, y)
        t.backward(loss)
        grads = {n.replace("_orig_mod.", ""): p.grad for n, p in t.model.named_parameters()}
        torch.manual_seed(seed)
        t = make(seed)
        torch.manual_seed(seed)
        it = iter(t.batches)
        losses = [float(t.step(it)) for _ in range(2 * steps)]
        seen.append(
            (out, loss, grads, losses, {k: v.clone() for k, v in t.model.state_dict().items()})
        )
    (o1, l1, g1, s1, _), (o2, l2, g2, s2, end) = seen
    failed = []
    if not (agree(o1, o2) and agree(l1, l2)):
        failed.append("outputs")
    if set(g1) != set(g2) or not all(agree(g1[n], g2[n]) for n in g1):
        failed.append("gradients")
    if not agree(s1, s2):
        failed.append("losses")
    verdicts = {}
    for c in controls:
        r = c(new)
        verdicts[r.name] = r.passed
    if not all(verdicts.values()):
        failed.append("controls")
    t = new(seed)
    torch.manual_seed(seed)
    it = iter(t.batches)
    for _ in range(steps):
        t.step(it)
    saved = t.state_dict()
    t = new(seed)
    torch.manual_seed(99 + seed)
    try:
        t.load_state_dict(saved)
        it = iter(t.batches)
        rest = [float(t.step(it)) for _ in range(steps)]
        fine = rest == s2[steps:] and all(
            torch.equal(v, end[k]) for k, v in t.model.state_dict().items()
        )
    except Exception:
        fine = False
    if not fine:
        failed.append("resume")
    ratios = np.asarray(samples[0]) / np.asarray(samples[1])
    rng = np.random.default_rng(seed)
    med = np.median(rng.choice(ratios, (1000, len(ratios))), axis=1)
    low, high = np.percentile(med, [0.5, 99.5])
    v = (
        "inconclusive"
        if len(ratios) < 20
        else "gain"
        if low > 1.02
        else "slower"
        if high < 1 / 1.02
        else "null"
        if low >= 1 / 1.05 and high <= 1.05
        else "inconclusive"
    )
    return {
        "speed": {"verdict": v, "ratio": np.median(ratios), "low": low, "high": high},
        "controls": verdicts,
        "failed": tuple(failed),
        "verdict": "reject" if failed else v,
    }
