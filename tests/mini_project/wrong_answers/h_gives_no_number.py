"""Returns a sentence."""


def discriminate(make_trainer):
    return "the gradients are too short"
