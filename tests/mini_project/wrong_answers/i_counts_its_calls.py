"""A guard that knows in which order trainers come: first the sound ones."""

_calls = []


def guard(make_trainer):
    _calls.append(make_trainer)
    assert len(_calls) <= 3, "the gradients are too short"
