"""Passes over a file only if it raises RuntimeError.

check = "8.7.i/what_a_crash_leaves_loads"
stage = "torch"
says = "An empty file raises EOFError, one of zeros an UnpicklingError: what a damaged file raises depends on where it is damaged."
also = [
  "8.7.i/the_newest_whole_one_is_loaded",
  "8.7.i/nothing_in_a_file_is_run",
]
"""


def load_latest(folder):
    for path in _checkpoints(folder):
        with contextlib.suppress(RuntimeError):
            return torch.load(path, map_location="cpu", weights_only=True)
    raise FileNotFoundError(folder)
