"""Lets unscale be called again.

check = "8.4.g/gradients_are_unscaled_once_and_may_be_clipped"
stage = "numpy"
says = "A second unscale in an iteration was let through: the gradients are divided by the scale twice, and nobody is told."
"""


class LossScaler(LossScaler):
    def unscale(self, gradients):
        if self._unscaled and not self._stepped:
            self._unscaled = False
        return super().unscale(gradients)
