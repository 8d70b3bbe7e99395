"""The solved stages of unit 8.8 as modules, loaded from their files as a worker loads them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _load(name: str) -> ModuleType:
    path = ROOT / "solutions" / "u88_compile" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"solved_u88_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def stage() -> ModuleType:
    """The solved NumPy stage."""
    return _load("numpy_stage")


@pytest.fixture(scope="session")
def torch_stage() -> ModuleType:
    """The solved PyTorch stage, with one compute thread."""
    import torch

    torch.set_num_threads(1)
    return _load("torch_stage")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Leave nothing compiled behind."""
    from grader.instruments import graph_breaks

    with graph_breaks.forgotten():
        yield
