"""Runs the optimizer after the range of the step has ended.

check = "8.9.j/one_range_a_phase"
stage = "torch"
says = "The optimizer ran after train_step had ended, so the step looks shorter than it is. All four phases belong inside."
"""


def annotated_step(trainer, batch, clock=time.perf_counter):
    seconds = {}
    begin = clock()
    with record_function("train_step"):
        with _phase("transfer", trainer, clock, seconds):
            x, y = trainer.transfer(batch)
        with _phase("forward", trainer, clock, seconds):
            loss = trainer.forward(x, y)
        with _phase("backward", trainer, clock, seconds):
            trainer.backward(loss)
    with _phase("optimizer", trainer, clock, seconds):
        trainer.update()
    seconds["train_step"] = clock() - begin
    return loss.detach(), seconds
