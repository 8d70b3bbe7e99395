"""Measures however few steps it is asked for.

check = "mini-project.a/fewer_than_20_repeats_are_refused"
stage = "torch"
says = "A table of a few repeats was made. With fewer than 20 a median says little."
"""


def phase_table(trainer, batches, steps, warmup, clock, sync, unsynced=None):
    table = {phase: [] for phase in PHASES}
    for number in range(warmup + steps):
        if number == warmup:
            sync()
            last = clock()
        result = None
        for phase in PHASES:
            if phase == "data_wait":
                batch = next(batches)
            elif phase == "forward":
                result = trainer.forward(batch)
            elif phase == "backward":
                trainer.backward(result)
            else:
                trainer.update()
            if number >= warmup:
                if phase != unsynced:
                    sync()
                now = clock()
                table[phase].append(now - last)
                last = now
    return table
