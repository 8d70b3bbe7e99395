"""Lets the scale grow to infinity.

check = "8.4.g/growth_ends_before_infinity"
stage = "numpy"
says = "The scale grew beyond what a float32 holds. Then every loss is infinite; leave the scale as it is."
also = ["8.4.g/scale_as_torch_has_it"]
"""


class LossScaler(LossScaler):
    def update(self):
        if not self._found and self.growth_tracker + 1 == self._interval:
            scale = self.scale
            super().update()
            self.scale = scale * self._growth
            return self.scale
        return super().update()
