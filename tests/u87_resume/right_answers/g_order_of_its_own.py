"""The order itself in the state, so that nothing is drawn again; torch's generator twice over."""

_plain_state, _plain_restore = run_state, restore_run


def run_state(run):
    state = _plain_state(run)
    order = run.order
    state["loader"]["order"] = None if order is None else order.clone()
    return state


def restore_run(run, state):
    _plain_restore(run, state)
    if "order" in state["loader"]:
        order = state["loader"]["order"]
        run.order = None if order is None else order.clone()
