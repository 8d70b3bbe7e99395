"""Takes for granted that the host's own op comes after all work that was handed over before.

check = "8.2.b/buffers_of_the_host"
stage = "numpy"
says = "The host read or refilled a buffer that a copy may still be using. A non-blocking copy has only been ordered when the call returns: wait for it first."
source = "pytorch/pytorch#127612, deepspeedai/DeepSpeed PR#501"
also = [
  "8.2.b/random_programs_and_all_their_races",
]
"""

_fair_races = races


def races(ops):
    on_host = {op["name"] for op in ops if op["stream"] is None}
    return [pair for pair in _fair_races(ops) if pair[1] not in on_host]
