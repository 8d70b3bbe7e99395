"""Updates the scale only after a step.

check = "8.4.g/update_without_a_step"
stage = "numpy"
says = "The scale is adjusted only if step was called. A step that is left out by hand must not leave the scaler behind: update goes by what unscale found."
source = "Azure/MS-AMP PR#45"
also = ["8.4.g/gradients_are_unscaled_once_and_may_be_clipped", "8.4.g/float16_gradients_are_divided_in_float32"]
"""


class LossScaler(LossScaler):
    def update(self):
        if self._unscaled and not self._stepped:
            self._unscaled = self._found = False
            return self.scale
        return super().update()
