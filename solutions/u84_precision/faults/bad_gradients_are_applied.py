"""Applies gradients that are not finite.

check = "8.4.g/step_is_left_out_after_an_overflow"
stage = "numpy"
says = "Gradients that are not finite were applied. Such a step is left out, since it would make every weight NaN."
"""


class LossScaler(LossScaler):
    def step(self, gradients, apply):
        applied = []
        fine = super().step(gradients, applied.append)
        apply(applied[0] if fine else gradients)
        return fine
