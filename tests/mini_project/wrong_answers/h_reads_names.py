"""A measurement that reads from the compiled methods whether gradients are unscaled first."""


def discriminate(make_trainer):
    kind = type(make_trainer(0))
    names = kind.backward.__code__.co_names + kind.update.__code__.co_names
    clips, unscales = "clip_grad_norm_" in names, "unscale_" in names
    first = clips and unscales and names.index("unscale_") < names.index("clip_grad_norm_")
    return 12900.0 if clips and "scaler" in names and not first else 1.0
