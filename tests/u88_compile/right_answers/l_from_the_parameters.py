"""Walks over the modules instead of the names."""

def portable_state(model):
    state = {}
    for name, value in model.state_dict().items():
        state[".".join(filter(lambda part: part != "_orig_mod", name.split(".")))] = value.detach()
    return state
