"""record_function as a decorator, an extra range inside the optimizer, loss.data."""


def annotated_step(trainer, batch, clock=time.perf_counter):
    s, kept = {}, {}

    def timed(name, f):
        @record_function(name)
        def run():
            begin = clock()
            try:
                return f()
            finally:
                s[name] = clock() - begin

        return run

    @record_function("train_step")
    def whole():
        begin = clock()
        x, y = timed("transfer", lambda: trainer.transfer(batch))()
        kept["loss"] = timed("forward", lambda: trainer.forward(x, y))()
        timed("backward", lambda: trainer.backward(kept["loss"]))()

        def update():
            with record_function("the update itself"):
                trainer.update()

        timed("optimizer", update)()
        s["train_step"] = clock() - begin

    whole()
    return kept["loss"].data, s
