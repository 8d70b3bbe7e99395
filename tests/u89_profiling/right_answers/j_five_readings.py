"""Five clock readings that the phases share; ranges through an ExitStack; extra keys."""

from contextlib import ExitStack


def annotated_step(trainer, batch, clock=time.perf_counter):
    with ExitStack() as outer:
        outer.enter_context(torch.autograd.profiler.record_function("train_step"))
        t = [clock()]
        with record_function("transfer"):
            x, y = trainer.transfer(batch)
        t.append(clock())
        with record_function("forward"):
            loss = trainer.forward(x, y)
        t.append(clock())
        with record_function("backward"):
            trainer.backward(loss)
        t.append(clock())
        with record_function("optimizer"):
            trainer.update()
        t.append(clock())
    s = {n: b - a for n, a, b in zip(("transfer", "forward", "backward", "optimizer"), t, t[1:])}
    return [loss.detach().clone(), {"train_step": t[-1] - t[0], "residual": 0.0, **s}]
