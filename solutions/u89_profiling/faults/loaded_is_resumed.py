"""Takes a checkpoint that loads for one that resumes.

check = "8.9.o/a_run_that_does_not_resume_is_rejected"
stage = "torch"
says = "The checkpoint was loaded and not continued. Optimizer state, RNG and the position in the data are missed by everything but the next steps."
# another check looks at the same part
also = ["8.9.o/resumed_bit_for_bit_in_another_process", "8.9.o/resumed_for_as_many_steps"]
"""


def _resumes(make, seed, steps, losses, state):
    trainer = make(seed)
    try:
        make(seed).load_state_dict(trainer.state_dict())
    except Exception:
        return False
    return True
