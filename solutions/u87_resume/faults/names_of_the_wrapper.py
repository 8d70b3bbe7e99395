"""Saves the names of the compiled wrapper.

check = "8.7.f/names_are_those_without_compile"
stage = "torch"
says = "A compiled model puts _orig_mod. before each name: nothing else can load this, and strict=False loads nothing at all."
source = "karpathy/nanoGPT#325"
"""

_right = run_state


def run_state(run):
    state = _right(run)
    state["model"] = copy.deepcopy(run.model.state_dict())
    return state
