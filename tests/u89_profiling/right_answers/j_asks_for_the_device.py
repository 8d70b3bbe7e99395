"""Synchronises if trainer.device is CUDA, as the module's docstring asks."""


def annotated_step(trainer, batch, clock=time.perf_counter):
    def now():
        if torch.device(trainer.device).type == "cuda":
            torch.cuda.synchronize()
        return clock()

    s = {}
    t0 = now()
    with record_function("train_step"):
        with record_function("transfer"):
            t = now()
            x, y = trainer.transfer(batch)
            s["transfer"] = now() - t
        with record_function("forward"):
            t = now()
            loss = trainer.forward(x, y)
            s["forward"] = now() - t
        with record_function("backward"):
            t = now()
            trainer.backward(loss)
            s["backward"] = now() - t
        with record_function("optimizer"):
            t = now()
            trainer.update()
            s["optimizer"] = now() - t
    s["train_step"] = now() - t0
    return loss.detach(), s
