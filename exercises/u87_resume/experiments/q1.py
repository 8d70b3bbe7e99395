"""Which of five things torch.load(weights_only=True) takes."""

import io
import random
from collections import defaultdict

import numpy as np
import torch

values = {
    "a torch.Generator's state": torch.Generator().get_state(),
    "random.getstate()": random.getstate(),
    "np.random.get_state()": np.random.get_state(),
    "a set": {1, 2},
    "a defaultdict": defaultdict(list),
}
for name, value in values.items():
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    try:
        torch.load(buffer, weights_only=True)
        print(f"{name:26} loads")
    except Exception as error:
        print(f"{name:26} is refused: {type(error).__name__}")
