"""Divides the gradients that were handed in."""

class LossScaler(LossScaler):
    def unscale(self, gradients):
        found = super().unscale(gradients)
        for given, divided in zip(gradients, found, strict=True):
            if np.asarray(given).dtype == np.float32:
                given[...] = divided
        return found
