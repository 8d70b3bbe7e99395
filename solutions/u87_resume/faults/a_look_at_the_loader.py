"""Looks at a batch of a DataLoader while it saves.

check = "8.7.f/saving_is_a_copy_and_moves_nothing"
stage = "torch"
says = "iter(DataLoader) draws a number from torch's global generator, also with shuffle=False, unless it has a generator of its own."
also = [
  "8.7.f/names_are_those_without_compile",
]
"""

_right = run_state


def run_state(run):
    state = _right(run)
    loader = torch.utils.data.DataLoader(run.x, batch_size=2, shuffle=False)
    state["shape"] = list(next(iter(loader)).shape)
    return state
