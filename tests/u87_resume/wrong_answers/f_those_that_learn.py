"""Saves the parameters that need a gradient, and the buffers."""

_right_state = run_state


def run_state(run):
    state = _right_state(run)
    frozen = {name for name, p in _plain(run.model).named_parameters() if not p.requires_grad}
    state["model"] = {name: value for name, value in state["model"].items() if name not in frozen}
    return state
