"""What the project trains: your own model. Fill in the three functions.

The trainer asks this file for the model and the data, and for nothing else. Keep it small: a step
should take milliseconds on one core. The grader has torch, NumPy and the course's `compact`.
"""


def make_model(seed):
    """Return a new `torch.nn.Module` in training mode, the same for the same seed.

    It has parameters, all of which are trained.
    """
    raise NotImplementedError("adapter.py: make_model")


def make_batches(seed):
    """Return the batches of an epoch, the same for the same seed.

    2 to 64 batches, each a tuple of tensors on the CPU with the same number of rows; the last one
    holds the labels. Two batches of one epoch have the same shapes.
    """
    raise NotImplementedError("adapter.py: make_batches")


def loss(model, batch):
    """Return the mean loss of a batch: a finite tensor without dimensions, with its graph.

    It must not read a value back from a tensor, or keep torch.compile from capturing it whole.
    """
    raise NotImplementedError("adapter.py: loss")
