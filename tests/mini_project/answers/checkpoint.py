def discriminate(make_trainer):
    """Number of losses, of five, that a resumed run does not repeat."""
    run = make_trainer(0)
    stream = run.stream()
    for _ in range(4):
        run.step(next(stream))
    state = run.state_dict()
    losses = [float(run.step(next(stream))) for _ in range(5)]
    other = make_trainer(0)
    stream = other.stream()
    other.step(next(stream))
    torch.manual_seed(123)
    other.load_state_dict(state)
    stream = other.stream()
    return sum(float(other.step(next(stream))) != loss for loss in losses)


def guard(make_trainer):
    """Fail when a resumed run goes another way."""
    gone = discriminate(make_trainer)
    assert gone == 0, f"{gone} of 5 losses after a resume are not those of the unbroken run"
