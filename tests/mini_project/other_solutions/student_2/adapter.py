"""What the project trains: a recurrent net that reads instrument logs, tokens and a gain."""

import torch
from torch import nn
from torch.nn import functional as F

ROWS, TIME, VOCAB, WIDTH, HIDDEN, TARGETS = 16, 8, 20, 12, 24, 2


class Gates(nn.Module):
    """Turn one tensor into a gate and a candidate; has no children and returns a tuple."""

    def forward(self, x):
        gate, candidate = x.chunk(2, -1)
        return torch.sigmoid(gate), torch.tanh(candidate)


class Cell(nn.Module):
    """A minimal gated recurrence with a learned first state."""

    def __init__(self):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(HIDDEN))
        self.input = nn.Linear(WIDTH, 2 * HIDDEN)
        self.hidden = nn.Linear(HIDDEN, 2 * HIDDEN, bias=False)
        self.gates = Gates()

    def forward(self, sequence):
        given = self.input(sequence)
        h = self.start.expand(sequence.shape[0], HIDDEN)
        for t in range(TIME):
            gate, candidate = self.gates(given[:, t] + self.hidden(h))
            h = h + gate * (candidate - h)
        return h


class Reader(nn.Module):
    """Embedding, recurrence, batch norm, dropout, a head and one learned scale (no dimensions)."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, WIDTH)
        self.cell = Cell()
        self.norm = nn.BatchNorm1d(HIDDEN)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(HIDDEN, TARGETS)
        self.log_scale = nn.Parameter(torch.tensor(0.0))

    def forward(self, tokens, gain):
        h = self.cell(self.embedding(tokens) * gain.unsqueeze(-1))
        return self.head(self.drop(self.norm(h))) * self.log_scale.exp()


def make_model(seed):
    """Return a new `torch.nn.Module` in training mode, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Reader()


def make_batches(seed):
    """Return 16 batches: tokens [16, 8], gain [16, 1] and the labels [16, 2]."""
    table = torch.linspace(-1.0, 1.0, VOCAB)
    decay = 0.7 ** torch.arange(TIME).flip(0)
    generator = torch.Generator().manual_seed(1000 + seed)
    batches = []
    for _ in range(16):
        tokens = torch.randint(VOCAB, (ROWS, TIME), generator=generator)
        gain = 0.5 + torch.rand(ROWS, 1, generator=generator)
        values = table[tokens] * gain
        labels = torch.stack([values.mean(1) * 2, (values * decay).sum(1)], 1)
        batches.append((tokens, gain, labels))
    return batches


def loss(model, batch):
    """Return the mean squared error."""
    tokens, gain, labels = batch
    return F.mse_loss(model(tokens, gain), labels)
