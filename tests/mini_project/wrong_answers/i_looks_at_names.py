"""A guard that looks at the names that the compiled update uses, in their order."""


def guard(make_trainer):
    names = make_trainer(0).update.__func__.__code__.co_names
    assert "unscale_" in names, "update does not unscale"
    assert names.index("unscale_") < names.index("clip_grad_norm_"), "clipped too early"
