"""Whether a worker can use an accelerator: asked of a fresh interpreter, never of the driver.

A forked worker sees no device, since the state of CUDA does not survive a fork.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

# NVIDIA's control device, its Windows counterpart, and AMD's, which torch calls cuda too
_MARKS = ("/dev/nvidiactl", "/dev/dxg", "/dev/kfd")


def may_be_there() -> bool:
    """Return whether asking a worker, which takes seconds, is worth while."""
    return any(Path(mark).exists() for mark in _MARKS)


def count_cuda(stage: Any, case: dict[str, Any]) -> int:
    """Return how many devices torch can use in this worker; a probe."""
    import torch

    return torch.cuda.device_count() if torch.cuda.is_available() else 0
