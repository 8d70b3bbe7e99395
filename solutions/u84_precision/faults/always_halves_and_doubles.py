"""Takes no notice of the two factors.

check = "8.4.g/scale_as_torch_has_it"
stage = "numpy"
says = "The scale was halved and doubled whatever the factors were. Use growth_factor and backoff_factor."
"""


class LossScaler(LossScaler):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._growth, self._backoff = 2.0, 0.5
