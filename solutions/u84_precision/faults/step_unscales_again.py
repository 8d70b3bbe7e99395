"""Divides by the scale in step, although unscale has done it.

check = "8.4.g/gradients_are_unscaled_once_and_may_be_clipped"
stage = "numpy"
says = "The gradients were divided by the scale a second time. After unscale they are used as they are."
source = "huggingface/accelerate#113"
also = ["8.4.g/float16_gradients_are_divided_in_float32"]
"""


class LossScaler(LossScaler):
    def step(self, gradients, apply):
        if not self._unscaled:
            return super().step(gradients, apply)
        again = lambda found: apply([np.asarray(g) / np.float32(self.scale) for g in found])
        return super().step(gradients, again)
