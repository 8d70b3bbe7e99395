"""Has another growth interval by default.

check = "8.4.g/scaler_defaults_and_settings"
stage = "numpy"
says = "The scale grew at another iteration than the 2000th: that is torch's default interval."
"""


class LossScaler(LossScaler):
    def __init__(
        self,
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=1000,
        floor=0.0,
    ):
        super().__init__(init_scale, growth_factor, backoff_factor, growth_interval, floor)
