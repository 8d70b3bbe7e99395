"""The compact model's shape as data; importing this module does not import torch."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

KINDS = ("mlp", "transformer")
ATTENTIONS = ("sdpa", "manual")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """What to build: a multilayer perceptron on the pixels, or a small pre-norm transformer.

    The transformer reads a digit's 8 rows as `tokens` = 8 tokens of `values` = 8 numbers and
    answers one vector of logits an image. With `vocab` above 0 it reads token ids instead and
    answers logits over the vocabulary at every token, with causal attention.

    Attributes:
        kind: ``"mlp"`` or ``"transformer"``.
        widths: Of the mlp, input to output; ``(64, 256, 256, 10)`` has three linear layers.
        dropout: Probability, in both kinds; 0 leaves the dropout layers out.
        layers: Blocks L of the transformer.
        heads: Attention heads; they divide `width`.
        width: Model width D of the transformer.
        tokens: Tokens T of one example.
        values: Numbers in one token, when the transformer reads numbers.
        classes: Logits of one image.
        vocab: Size V of the vocabulary; 0 means the transformer reads numbers.
        attention: ``"sdpa"`` for `F.scaled_dot_product_attention`, ``"manual"`` for two matrix
            products with a softmax between them.
    """

    kind: str = "mlp"
    widths: tuple[int, ...] = (64, 256, 256, 10)
    dropout: float = 0.0
    layers: int = 2
    heads: int = 4
    width: int = 64
    tokens: int = 8
    values: int = 8
    classes: int = 10
    vocab: int = 0
    attention: str = "sdpa"

    def __post_init__(self) -> None:
        """Refuse a shape that cannot be built, with every problem in one message.

        Raises:
            ValueError: If a value is out of its range.
        """
        object.__setattr__(self, "widths", tuple(self.widths))
        problems = []
        if self.kind not in KINDS:
            problems.append(f"kind is {self.kind!r}, must be one of {', '.join(KINDS)}")
        if self.attention not in ATTENTIONS:
            problems.append(f"attention is {self.attention!r}, must be one of {ATTENTIONS}")
        if len(self.widths) < 2 or any(width < 1 for width in self.widths):
            problems.append(f"widths is {self.widths}, must be two or more positive numbers")
        if not 0.0 <= self.dropout < 1.0:
            problems.append(f"dropout is {self.dropout}, must be from 0 up to but not including 1")
        for name in ("layers", "heads", "width", "tokens", "values", "classes"):
            if getattr(self, name) < 1:
                problems.append(f"{name} is {getattr(self, name)}, must be 1 or more")
        if self.vocab < 0:
            problems.append(f"vocab is {self.vocab}, must be 0 or more")
        if self.heads >= 1 and self.width % self.heads:
            problems.append(f"width {self.width} is not a multiple of heads {self.heads}")
        if problems:
            raise ValueError("; ".join(problems))


def from_toml(path: str | PathLike[str]) -> ModelConfig:
    """Read a `ModelConfig` from the ``[model]`` table of a TOML file.

    Raises:
        ValueError: If the table is missing, names an unknown setting or holds a bad value.
    """
    with Path(path).open("rb") as file:
        document = tomllib.load(file)
    table: dict[str, Any] | None = document.get("model")
    if not isinstance(table, dict):
        raise ValueError(f"{path}: there is no [model] table")
    unknown = sorted(set(table) - {field.name for field in fields(ModelConfig)})
    if unknown:
        raise ValueError(f"{path}: unknown settings in [model]: {', '.join(unknown)}")
    return ModelConfig(**table)
