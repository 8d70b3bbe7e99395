def discriminate(make_trainer):
    """1 if the objective cannot be captured whole, else 0."""
    import logging

    import torch._dynamo

    run = make_trainer(0)
    batch = next(run.stream())
    log = logging.getLogger("torch._dynamo")
    level = log.level
    log.setLevel(logging.CRITICAL)
    torch._dynamo.reset()
    try:
        with torch._dynamo.error_on_graph_break(True):
            torch.compile(run.objective, backend="eager")(batch)
    except torch._dynamo.exc.TorchDynamoException:
        return 1
    finally:
        torch._dynamo.reset()
        log.setLevel(level)
    return 0


def guard(make_trainer):
    """Fail when the objective breaks."""
    assert discriminate(make_trainer) == 0, "the objective is not captured as one graph"
