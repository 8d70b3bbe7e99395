"""Leaves a step out for what its gradients are now, although unscale found them finite."""

class LossScaler(LossScaler):
    def step(self, gradients, apply):
        if self._unscaled and not all(np.isfinite(g).all() for g in gradients):
            self._found = True
        return super().step(gradients, apply)
