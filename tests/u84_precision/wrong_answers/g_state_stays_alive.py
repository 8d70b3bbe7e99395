"""Gives out the dict that it works with: a state that was saved goes on with the scaler."""

class LossScaler(LossScaler):
    def state_dict(self):
        self.__dict__.setdefault("_alive", {}).update(super().state_dict())
        return self._alive

    def update(self):
        try:
            return super().update()
        finally:
            self.state_dict()
