"""Keeps no generator in the state, and draws everything anew from the seed of the settings."""

_right_train = train


def train(x, y, settings, steps, state=None):
    made = 0 if state is None else state["made"]
    whole = _right_train(x, y, settings, max(steps, 0) + made)
    if steps < 0:
        raise ValueError(steps)
    own = {"w": whole["state"]["w"], "v": whole["state"]["v"], "made": made + steps}
    return {"losses": whole["losses"][made:], "state": own}
