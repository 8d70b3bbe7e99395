"""Runs the backward inside autocast.

check = "8.4.k/where_autocast_is_on"
stage = "torch"
says = "A backward ran inside autocast. Leave autocast after the loss: each backward operator takes the dtype of its forward on its own."
"""

_outside_amp_step = amp_step


def amp_step(model, optimizer, scaler, *arguments, dtype=torch.float16, **named):
    class Scaler:
        def __getattr__(self, name):
            return getattr(scaler, name)

        def scale(self, loss):
            scaled = scaler.scale(loss)

            class Inside:
                def backward(self):
                    with torch.autocast("cpu", dtype=dtype):
                        scaled.backward()

            return Inside()

    return _outside_amp_step(model, optimizer, Scaler(), *arguments, dtype=dtype, **named)
