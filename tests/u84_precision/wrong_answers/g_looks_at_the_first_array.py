"""Looks at the first array of gradients only."""

class LossScaler(LossScaler):
    def unscale(self, gradients):
        found = super().unscale(gradients)
        self._found = any(not np.isfinite(np.asarray(g)).all() for g in list(gradients)[:1])
        return found
