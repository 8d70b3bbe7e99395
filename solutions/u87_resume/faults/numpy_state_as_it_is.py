"""Keeps NumPy's generator state with its array.

check = "8.7.f/the_state_loads_with_weights_only"
stage = "torch"
says = "np.random.get_state() holds a NumPy array, which weights_only=True refuses: make a list or a tensor of it."
also = [
  "8.7.f/names_are_those_without_compile",
]
"""

_right = run_state


def run_state(run):
    state = _right(run)
    state["rng"]["numpy"] = np.random.get_state()
    return state
