"""Multiplies by the learning rate before the velocity, not after it.

check = "8.7.b/steps_are_those_of_torch"
stage = "numpy"
says = "With a rate that changes, v = momentum * v + lr * g is not what torch does: the rate belongs to the update of w."
also = [
  "8.7.b/masks_are_drawn_as_said",
]
"""


def train(x, y, settings, steps, state=None):
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or y.shape != x.shape[:1] or not len(x) or steps < 0:
        raise ValueError("no run")
    if state is None:
        now = np.random.default_rng(settings["seed"]).bit_generator.state
        state = {"w": np.zeros(x.shape[1]), "v": np.zeros(x.shape[1]), "epoch": 0, "position": 0}
        state |= {"generator": now, "before_epoch": now}
    w, v, epoch, position = (state[name] for name in ("w", "v", "epoch", "position"))
    generator, before = _generator(state["generator"]), state["before_epoch"]
    size = settings["batch_size"]
    batches = rest_of_epoch(before, len(x), size, position)["batches"] if position else []
    losses = []
    for _ in range(steps):
        if not batches:
            before = generator.bit_generator.state
            drawn = rest_of_epoch(before, len(x), size, 0)
            batches, position, generator = drawn["batches"], 0, _generator(drawn["after"])
        inputs = x[batches[0]]
        if settings["drop"] > 0:
            keep = generator.random(inputs.shape) >= settings["drop"]
            inputs = inputs * keep / (1 - settings["drop"])
        rest = inputs @ w - y[batches[0]]
        losses.append(np.mean(rest**2))
        rate = settings["lr"] * settings["decay"] ** epoch
        v = settings["momentum"] * v + rate * 2 / len(rest) * (inputs.T @ rest)
        w = w - v
        batches, position = batches[1:], position + 1
        if not batches:
            epoch, position = epoch + 1, 0
    state = {"w": w, "v": v, "epoch": epoch, "position": position, "before_epoch": before}
    state["generator"] = generator.bit_generator.state
    return {"losses": np.array(losses), "state": state}
