"""Divides the gradient by the batch size, also in the last batch, which is shorter."""


def train(x, y, settings, steps, state=None):
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or y.shape != x.shape[:1] or not len(x) or steps < 0:
        raise ValueError("no run")
    if state is None:
        now = np.random.default_rng(settings["seed"]).bit_generator.state
        zeros = np.zeros(x.shape[1])
        state = {"w": zeros, "v": zeros, "e": 0, "i": 0, "now": now, "before": now}
    w, v, e, i, before = (state[k] for k in ("w", "v", "e", "i", "before"))
    generator, size, losses = _generator(state["now"]), settings["batch_size"], []
    order = _generator(before).permutation(len(x)) if i else None
    for _ in range(steps):
        if order is None:
            before = generator.bit_generator.state
            order = generator.permutation(len(x))
        chosen = order[i * size : (i + 1) * size]
        a = x[chosen]
        if settings["drop"] > 0:
            a = a * (generator.random(a.shape) >= settings["drop"]) / (1 - settings["drop"])
        rest = a @ w - y[chosen]
        losses.append(float(np.mean(rest**2)) if len(rest) else 0.0)
        v = settings["momentum"] * v + 2 / size * (a.T @ rest)
        w = w - settings["lr"] * settings["decay"] ** e * v
        i += 1
        if i * size >= len(x):
            e, i, order = e + 1, 0, None
    now = generator.bit_generator.state
    state = {"w": w, "v": v, "e": e, "i": i, "now": now, "before": before}
    return {"losses": np.array(losses), "state": state}
