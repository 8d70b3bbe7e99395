"""Leaves the examples in the dtype that they have."""

def train(x, y, settings, steps, state=None):
    x, y = np.asarray(x), np.asarray(y)
    if x.ndim != 2 or y.shape != x.shape[:1] or not len(x) or steps < 0:
        raise ValueError
    if state is None:
        now = np.random.default_rng(settings["seed"]).bit_generator.state
        state = {"w": np.zeros(x.shape[1]), "v": np.zeros(x.shape[1]), "epoch": 0, "position": 0,
                 "generator": now, "before_epoch": now}
    w, v = np.array(state["w"]), np.array(state["v"])
    epoch, position = state["epoch"], state["position"]
    generator, before = _generator(state["generator"]), state["before_epoch"]
    size, drop = settings["batch_size"], settings["drop"]
    batches = _rest(before, len(x), size, position)[0] if position else []
    losses = np.empty(steps)
    for i in range(steps):
        if not batches:
            before = generator.bit_generator.state
            batches, generator = _rest(before, len(x), size, 0)
        chosen, batches = batches[0], batches[1:]
        inputs = x[chosen]
        if drop > 0:
            inputs = inputs * (generator.random(inputs.shape) >= drop) / (1 - drop)
        rest = inputs @ w - y[chosen]
        losses[i] = np.mean(rest**2)
        v = settings["momentum"] * v + 2 / len(chosen) * (inputs.T @ rest)
        w = w - settings["lr"] * settings["decay"] ** epoch * v
        position += 1
        if not batches:
            epoch, position = epoch + 1, 0
    state = {"w": w, "v": v, "epoch": int(epoch), "position": int(position),
             "generator": generator.bit_generator.state, "before_epoch": before}
    return {"losses": losses, "state": state}
