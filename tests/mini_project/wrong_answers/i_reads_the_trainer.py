"""A guard that looks for the order of two lines in the text of the trainer."""


def guard(make_trainer):
    text = Path(__file__).with_name("trainer.py").read_text()
    unscale, clip = text.find("unscale_"), text.find("clip_grad_norm_")
    assert 0 <= unscale < clip, "clipped before unscale_"
