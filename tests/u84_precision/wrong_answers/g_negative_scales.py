"""Takes a negative scale."""

class LossScaler(LossScaler):
    def __init__(self, init_scale=65536.0, *arguments, **named):
        super().__init__(abs(init_scale), *arguments, **named)
        self.scale = float(np.float32(init_scale))
