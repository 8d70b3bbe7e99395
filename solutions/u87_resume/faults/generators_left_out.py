"""Restores no generator.

check = "8.7.g/a_resumed_run_is_the_unbroken_one"
stage = "torch"
says = "The generators stand elsewhere, so dropout and noise are others from the first step on."
also = [
  "8.7.g/it_resumes_from_any_place",
  "8.7.g/what_is_shared_stays_shared",
]
source = "huggingface/transformers#11323"
"""

_right = restore_run


def restore_run(run, state):
    kept = torch.get_rng_state(), random.getstate(), np.random.get_state()
    _right(run, state)
    torch.set_rng_state(kept[0])
    random.setstate(kept[1])
    np.random.set_state(kept[2])
