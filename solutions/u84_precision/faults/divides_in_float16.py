"""Divides float16 gradients in float16.

check = "8.4.g/float16_gradients_are_divided_in_float32"
stage = "numpy"
says = "The gradients were divided in float16 and are 0 again. Convert to float32 first: that is what the scale was for."
"""


class LossScaler(LossScaler):
    def unscale(self, gradients):
        super().unscale(gradients)
        with np.errstate(all="ignore"):
            return [np.asarray(g) / np.asarray(g).dtype.type(self.scale) for g in gradients]
