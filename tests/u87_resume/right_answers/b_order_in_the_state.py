"""The order of the epoch itself in the state, with numbers of NumPy beside it and losses in a list."""


def train(x, y, settings, steps, state=None):
    x, y = np.asarray(x, float), np.asarray(y, float)
    if steps < 0 or x.ndim != 2 or y.shape != (len(x),) or not len(x):
        raise ValueError
    draws = np.random.default_rng(settings["seed"])
    if state is None:
        state = {"wv": np.zeros((2, x.shape[1])), "left": np.zeros(0, int), "epoch": np.int64(-1)}
    else:
        draws.bit_generator.state = state["draws"]
    (w, v), left, epoch = state["wv"].copy(), state["left"], int(state["epoch"])
    losses = []
    for _ in range(steps):
        if not len(left):
            left, epoch = draws.permutation(len(x)), epoch + 1
        chosen, left = left[: settings["batch_size"]], left[settings["batch_size"] :]
        rows = x[chosen]
        if settings["drop"] > 0:
            rows = np.where(draws.random(rows.shape) >= settings["drop"], rows, 0)
            rows = rows / (1 - settings["drop"])
        error = rows @ w - y[chosen]
        losses.append(np.dot(error, error) / len(error))
        v = settings["momentum"] * v + 2 * (rows.T @ error) / len(error)
        w = w - settings["lr"] * settings["decay"] ** epoch * v
    state = {"wv": np.stack([w, v]), "left": left.copy(), "epoch": np.int64(epoch)}
    state["draws"] = draws.bit_generator.state
    return {"losses": losses, "state": state}
