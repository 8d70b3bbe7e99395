"""Returns the loss through detach_ on a clone."""

_reference_j = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    kept = []

    class Spy:
        def __getattr__(self, name):
            return getattr(trainer, name)

        def forward(self, x, y):
            kept.append(trainer.forward(x, y))
            return kept[-1]

    _, s = _reference_j(Spy(), batch, clock)
    return kept[0].clone().detach_(), s
