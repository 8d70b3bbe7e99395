"""Gives up when the scale is at its floor, not below."""

class LossScaler(LossScaler):
    def update(self):
        scale = super().update()
        if scale <= self._floor:
            raise FloatingPointError
        return scale
