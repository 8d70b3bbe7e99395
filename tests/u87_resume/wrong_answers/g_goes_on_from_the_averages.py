"""Puts the averaged weights into the model."""

_right = restore_run


def restore_run(run, state):
    if state.get("ema"):
        model = {**state["model"], **{k: v for k, v in state["ema"].items() if "running" not in k}}
        model = {k: state["model"][k] if "num_batches" in k else v for k, v in model.items()}
        state = {**state, "model": model}
    _right(run, state)
