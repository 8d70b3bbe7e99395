"""Goes on in the dict that was loaded, and changes what the caller has saved."""

class LossScaler(LossScaler):
    def load_state_dict(self, state):
        super().load_state_dict(state)
        self._loaded = state

    def update(self):
        try:
            return super().update()
        finally:
            if hasattr(self, "_loaded"):
                self._loaded.update(self.state_dict())
