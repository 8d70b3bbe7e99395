"""Lets the range of the forward begin before the transfer.

check = "8.9.j/one_range_a_phase"
stage = "torch"
says = "The transfer lies inside the forward: a slow copy would be taken for a slow model. Ranges of phases follow one another."
"""


def annotated_step(trainer, batch, clock=time.perf_counter):
    seconds = {}
    begin = clock()
    with record_function("train_step"):
        with record_function("forward"):
            with _phase("transfer", trainer, clock, seconds):
                x, y = trainer.transfer(batch)
            start = clock()
            loss = trainer.forward(x, y)
            seconds["forward"] = clock() - start
        with _phase("backward", trainer, clock, seconds):
            trainer.backward(loss)
        with _phase("optimizer", trainer, clock, seconds):
            trainer.update()
    seconds["train_step"] = clock() - begin
    return loss.detach(), seconds
