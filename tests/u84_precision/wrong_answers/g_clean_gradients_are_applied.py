"""Applies gradients that were cleaned after unscale had found an overflow."""

class LossScaler(LossScaler):
    def step(self, gradients, apply):
        if self._unscaled:
            found, self._found = self._found, not all(np.isfinite(g).all() for g in gradients)
            done = super().step(gradients, apply)
            self._found = found
            return done
        return super().step(gradients, apply)
