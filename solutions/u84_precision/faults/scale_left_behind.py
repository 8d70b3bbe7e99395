"""Starts with the initial scale after loading.

check = "8.4.g/scaler_resumes_with_its_count"
stage = "numpy"
says = "After loading, the scale was the initial one: the first steps are left out until it has fallen again."
source = "huggingface/transformers#34053"
"""


class LossScaler(LossScaler):
    def load_state_dict(self, state):
        super().load_state_dict({**state, "scale": self.scale})
