"""Goes on counting good iterations after an overflow.

check = "8.4.g/scale_after_each_iteration"
stage = "numpy"
says = "The count of good iterations went on after an overflow. Growth needs an unbroken row: start it again from 0."
also = ["8.4.g/scale_as_torch_has_it"]
"""


class LossScaler(LossScaler):
    def update(self):
        count, found = self.growth_tracker, self._found
        scale = super().update()
        if found:
            self.growth_tracker = count
        return scale
