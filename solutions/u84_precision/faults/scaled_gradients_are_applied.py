"""Applies gradients that still carry the scale.

check = "8.4.g/step_is_left_out_after_an_overflow"
stage = "numpy"
says = "The gradients were applied with the scale still in them. Divide them before the weights are updated."
also = ["8.4.g/float16_gradients_are_divided_in_float32"]
"""


class LossScaler(LossScaler):
    def step(self, gradients, apply):
        if self._unscaled:
            return super().step(gradients, apply)
        scaled = [np.asarray(gradient, dtype=np.float32) for gradient in gradients]
        return super().step(gradients, lambda unscaled: apply(scaled))
