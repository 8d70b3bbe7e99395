"""Finds the device by the model's parameters and puts the model into training mode."""

_reference_j = annotated_step


def annotated_step(trainer, batch, clock=time.perf_counter):
    trainer.model.train()
    cuda = next(trainer.model.parameters()).is_cuda

    def now():
        if cuda:
            torch.cuda.synchronize()
        return clock()

    return _reference_j(trainer, batch, now)
