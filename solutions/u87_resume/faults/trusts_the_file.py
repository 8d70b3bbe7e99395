"""Loads with weights_only=False.

check = "8.7.i/nothing_in_a_file_is_run"
stage = "torch"
says = "A checkpoint is a program to weights_only=False: it ran."
"""


def load_latest(folder):
    for path in _checkpoints(folder):
        with contextlib.suppress(Exception):
            return torch.load(path, map_location="cpu", weights_only=False)
    raise FileNotFoundError(folder)
