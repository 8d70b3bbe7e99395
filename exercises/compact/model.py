"""The two compact models; `build` makes one from a `ModelConfig`, always the same for a seed.

Shapes: B batch, T tokens, D width, H heads, V vocabulary, C classes.
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .config import ModelConfig


class DigitsMLP(nn.Module):
    """Linear layers with ReLU between them, on flattened images ``[B, 64]``; logits ``[B, C]``."""

    def __init__(self, widths: tuple[int, ...], dropout: float = 0.0) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for index, (wide_in, wide_out) in enumerate(pairwise(widths)):
            if index:
                layers.append(nn.ReLU())
                if dropout > 0:
                    layers.append(nn.Dropout(dropout))
            layers.append(nn.Linear(wide_in, wide_out))
        self.layers = nn.Sequential(*layers)

    def forward(self, images: Tensor) -> Tensor:
        """Return the logits ``[B, C]`` of images ``[B, 64]`` or ``[B, 8, 8]``."""
        return self.layers(images.flatten(1))


class Attention(nn.Module):
    """Multi-head self-attention ``[B, T, D] -> [B, T, D]``, with biases, in one of two ways.

    Both ways compute the same function; they differ in what is saved for backward and in what
    a FLOP counter sees. Numbers agree to about 1e-6, relative.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.causal = config.vocab > 0
        self.manual = config.attention == "manual"
        self.dropout = config.dropout
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)

    def forward(self, x: Tensor) -> Tensor:
        """Return the mixed tokens ``[B, T, D]``."""
        batch, tokens, width = x.shape
        shape = (batch, tokens, self.heads, width // self.heads)
        q, k, v = (part.reshape(shape).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        dropout = self.dropout if self.training else 0.0
        if self.manual:
            mixed = self._by_hand(q, k, v, dropout)
        else:
            mixed = F.scaled_dot_product_attention(
                q, k, v, dropout_p=dropout, is_causal=self.causal
            )
        return self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))

    def _by_hand(self, q: Tensor, k: Tensor, v: Tensor, dropout: float) -> Tensor:
        """Return softmax(q k^T / sqrt(D/H)) v, ``[B, H, T, D/H]``."""
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if self.causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        return F.dropout(scores.softmax(dim=-1), dropout, training=dropout > 0) @ v


class Block(nn.Module):
    """One pre-norm transformer block: attention, then a GELU network of width 4D."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        width = config.width
        self.norm_attention = nn.LayerNorm(width)
        self.attention = Attention(config)
        self.norm_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.dropout = nn.Dropout(config.dropout) if config.dropout > 0 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output ``[B, T, D]``."""
        x = x + self.dropout(self.attention(self.norm_attention(x)))
        return x + self.dropout(self.mlp(self.norm_mlp(x)))


class CompactTransformer(nn.Module):
    """A pre-norm transformer over the rows of an image, or over token ids.

    Numbers in ``[B, T * values]`` (or ``[B, T, values]``): mean over tokens, logits ``[B, C]``.
    Token ids in ``[B, T]``: logits ``[B, T, V]``.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        width = config.width
        reads_ids = config.vocab > 0
        self.embed = (
            nn.Embedding(config.vocab, width) if reads_ids else nn.Linear(config.values, width)
        )
        self.positions = nn.Parameter(torch.empty(config.tokens, width).normal_(std=0.02))
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, config.vocab if reads_ids else config.classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits, ``[B, C]`` for numbers and ``[B, T, V]`` for token ids."""
        reads_ids = self.config.vocab > 0
        if not reads_ids:
            x = x.reshape(x.shape[0], self.config.tokens, self.config.values)
        hidden = self.embed(x) + self.positions[: x.shape[1]]
        for block in self.blocks:
            hidden = block(hidden)
        hidden = self.norm(hidden)
        return self.head(hidden if reads_ids else hidden.mean(dim=1))


def build(config: ModelConfig, seed: int = 0) -> nn.Module:
    """Return a new model whose weights depend on `seed` alone; torch's own RNG is not moved."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if config.kind == "transformer":
            return CompactTransformer(config)
        return DigitsMLP(config.widths, config.dropout)
