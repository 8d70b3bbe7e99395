"""Grows at every interval-th good iteration, in a row or not, by keeping two counts."""

class LossScaler(LossScaler):
    good = 0

    def update(self):
        self.good += not self._found
        self.growth_tracker = self._interval - 1 if self.good % self._interval == 0 else 0
        scale = super().update()
        self.growth_tracker = self.good % self._interval
        return scale
