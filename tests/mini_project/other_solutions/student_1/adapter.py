"""What the project trains: a small transformer that reads a handwritten digit row by row.

The trainer asks this file for the model and the data, and for nothing else.
"""

from compact.config import ModelConfig
from compact.data import Batches, split
from compact.model import build
from torch.nn import functional as F


def make_model(seed):
    """Return a new model in training mode, the same for the same seed."""
    return build(ModelConfig(kind="transformer", layers=2, heads=2, width=16, dropout=0.1), seed)


def make_batches(seed):
    """Return the batches of an epoch, each a tuple of tensors, the labels last."""
    images, labels = split(0)[0]
    return list(Batches(images, labels, 24, seed))[:12]


def loss(model, batch):
    """Return the mean loss of a batch, a tensor without dimensions."""
    images, labels = batch
    return F.cross_entropy(model(images), labels)
