"""Keeps the scale as a Python float and tests growth against float32."""

class LossScaler(LossScaler):
    def update(self):
        grown, found = self.scale * self._growth, self._found
        due = not found and self.growth_tracker + 1 == self._interval
        super().update()
        if due and grown < 2.0**128:
            self.scale = grown
        return self.scale
