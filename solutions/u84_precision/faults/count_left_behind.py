"""Saves the scale without the count of good iterations.

check = "8.4.g/scaler_resumes_with_its_count"
stage = "numpy"
says = "After loading, the count of good iterations began at 0. The scale grows later than it would have: save the count as well."
source = "huggingface/transformers#34053"
"""


class LossScaler(LossScaler):
    def load_state_dict(self, state):
        super().load_state_dict({**state, "growth_tracker": 0})
