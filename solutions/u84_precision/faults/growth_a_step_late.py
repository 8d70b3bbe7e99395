"""Grows when the count has passed the interval.

check = "8.4.g/scale_after_each_iteration"
stage = "numpy"
says = "The scale grew one good iteration too late: it is the interval-th one in a row that makes it grow."
also = ["8.4.g/scale_as_torch_has_it", "8.4.g/growth_ends_before_infinity", "8.4.g/update_without_a_step", "8.4.g/scaler_resumes_with_its_count", "8.4.g/scaler_defaults_and_settings"]
"""


class LossScaler(LossScaler):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._interval += 1
