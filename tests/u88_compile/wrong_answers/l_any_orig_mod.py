"""Takes the text out wherever it stands."""

def portable_state(model):
    return {name.replace("_orig_mod.", ""): value for name, value in model.state_dict().items()}
