"""What the project trains: a small perceptron with dropout on handwritten digits.

The trainer asks this file for the model and the data, and for nothing else.
"""

from compact.config import ModelConfig
from compact.data import Batches, split
from compact.model import build
from torch.nn import functional as F


def make_model(seed):
    """Return a new model in training mode, the same for the same seed."""
    return build(ModelConfig(widths=(64, 64, 64, 64, 10), dropout=0.1), seed)


def make_batches(seed):
    """Return the batches of an epoch, each a tuple of tensors, the labels last."""
    images, labels = split(0)[0]
    return list(Batches(images, labels, 280, seed))


def loss(model, batch):
    """Return the mean loss of a batch, a tensor without dimensions."""
    images, labels = batch
    return F.cross_entropy(model(images), labels)
