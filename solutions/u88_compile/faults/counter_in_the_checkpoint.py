"""Puts the counter into the checkpoint.

check = "8.8.i/warmup_keeps_its_checkpoint"
stage = "torch"
says = "The state has a new key, and old checkpoints do not load any more."
"""


class _Warmup(_Warmup):
    def __init__(self, steps):
        super().__init__(steps)
        self.register_buffer("calls", self.calls)
