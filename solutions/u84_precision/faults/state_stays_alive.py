"""Gives out a dict that it goes on working in.

check = "8.4.g/scaler_resumes_with_its_count"
stage = "numpy"
says = "The state that was saved changed when the scaler went on: it is the scaler's own dict. Make a new one in state_dict()."
"""


class LossScaler(LossScaler):
    def state_dict(self):
        self.__dict__.setdefault("_alive", {}).update(super().state_dict())
        return self._alive

    def update(self):
        try:
            return super().update()
        finally:
            self.state_dict()
