"""Saves memory by not training the first layer.

check = "mini-project.j/it_learns_the_same"
stage = "torch"
also = [
  "mini-project.j/it_computes_the_same", "mini-project.j/the_claim_is_what_is_measured",
]
says = "A parameter does not move: what saves its backward also saves its training."
"""


_whole = optimized


def optimized(seed):
    run = _whole(seed)
    next(run.model.parameters()).requires_grad_(False)
    frozen = next(run.model.parameters())
    update = run.update

    def updated():
        update()
        frozen.grad = None

    run.update = updated
    return run
