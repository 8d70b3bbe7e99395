"""Multiplies by the reciprocal, as torch does."""

class LossScaler(LossScaler):
    def unscale(self, gradients):
        super().unscale(gradients)
        inverse = np.float32(1 / self.scale)
        with np.errstate(all="ignore"):
            return tuple(np.asarray(g, dtype=np.float32) * inverse for g in gradients)
