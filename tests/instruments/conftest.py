"""The instruments are tried on the compact model, at one thread as in a worker."""

import sys
from pathlib import Path

import pytest
import torch

EXERCISES = Path(__file__).parents[2] / "exercises"
if str(EXERCISES) not in sys.path:
    sys.path.append(str(EXERCISES))


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
