"""The flavours of worker: what is imported before a stage is, and what may be imported at all."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

NO_TORCH = "the NumPy stage may not import torch"

# Modules that a worker needs after the fork; an import there would cost every check.
EARLY = (
    "atexit", "base64", "bisect", "collections", "contextlib", "copy", "ctypes", "dataclasses",
    "enum", "errno", "fcntl", "functools", "heapq", "importlib.metadata", "inspect", "io",
    "itertools", "json", "linecache", "math", "operator", "pickle", "random", "re", "resource",
    "shutil", "signal", "socket", "statistics", "string", "struct", "tempfile", "textwrap",
    "threading", "time", "traceback", "typing", "warnings", "zlib",
)  # fmt: skip


class NoTorch(MetaPathFinder):
    """Refuses torch in the workers of the NumPy stage, in words."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Raise for torch and its parts; leave everything else to the other finders."""
        if name == "torch" or name.startswith("torch."):
            raise ImportError(NO_TORCH, name=name)
        return None


class CoursePackages(MetaPathFinder):
    """Finds the packages of the course, each by its own folder."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """Know where each package lies."""
        self._folders = dict(folders)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a course package."""
        folder = self._folders.get(name)
        if folder is None:
            return None
        if Path(folder, "__init__.py").is_file():
            return importlib.util.spec_from_file_location(
                name, f"{folder}/__init__.py", submodule_search_locations=[folder]
            )
        return PathFinder.find_spec(name, [str(Path(folder).parent)])


def warm(flavor: str, packages: Mapping[str, str], preload: Sequence[str]) -> None:
    """Import what this flavour's workers start with.

    A torch process takes one full step here with one thread: it loads what the first optimizer
    loads, and never opens a second OpenMP thread, whose pool would not survive a fork.
    """
    sys.dont_write_bytecode = True
    for name in EARLY:
        importlib.import_module(name)
    if flavor == "bare":
        return
    if flavor == "numpy":
        sys.meta_path.insert(0, NoTorch())
    else:
        sys.meta_path.insert(0, CoursePackages(packages))
    importlib.import_module("numpy")
    importlib.import_module("numpy.random")
    if flavor == "torch":
        for name in preload:
            importlib.import_module(name)
        _one_step()


def _one_step() -> None:
    import torch

    # The course profiles several windows on purpose; the warning is the lesson, not an answer.
    warnings.filterwarnings("ignore", message=".*Profiler clears events.*")
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    layer = torch.nn.Linear(2, 2)
    optimizer = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()


def reseed(seed: int | None, *, devices: bool) -> None:
    """Give every random generator of this worker a state of its own, or the one of a seed.

    Args:
        seed: None takes one from the system.
        devices: Whether this process may see devices, whose generators take milliseconds.
    """
    import os
    import random

    number = int.from_bytes(os.urandom(8), "little") if seed is None else seed
    random.seed(number)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(number % 2**32)
    if (torch := sys.modules.get("torch")) is not None:
        seeded = torch.manual_seed if devices else torch.default_generator.manual_seed
        seeded(number % 2**63)
