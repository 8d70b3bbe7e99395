"""Halves for ever.

check = "8.4.g/a_scale_that_falls_for_ever"
stage = "numpy"
says = "The scale fell under its floor and nobody was told. A loss that is never finite is a fault elsewhere: stop there."
source = "facebookresearch/fairseq#1529"
"""


class LossScaler(LossScaler):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._floor = 0.0
