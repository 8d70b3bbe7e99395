"""How a Python process of the sandbox is started: its command line and its empty environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import grader

# The package is loaded by path, so that neither the working folder nor a checkout's root, with its
# tests and exercises, ever enters the import path of a process that will run student code.
BOOT = (
    "import importlib.util as u, sys; p = sys.argv[1]; "
    "s = u.spec_from_file_location('grader', p + '/__init__.py', submodule_search_locations=[p]); "
    "m = u.module_from_spec(s); sys.modules['grader'] = m; s.loader.exec_module(m); "
    "import importlib; importlib.import_module(sys.argv[2]).main(sys.argv[3:])"
)

ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "USER": "student",
    "LOGNAME": "student",
    # One hash seed for all workers: the order of a set must not differ between two grades.
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "KINETO_LOG_LEVEL": "99",
    # glibc keeps what is freed and needed again at once, such as the 32 MB of each compilation of
    # torch._dynamo: a third of its time went into new pages.
    "MALLOC_MMAP_THRESHOLD_": str(64 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(128 << 20),
}


def package_folder() -> Path:
    """Return the folder of the `grader` package."""
    return Path(grader.__file__).resolve().parent


def command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs `main` of a grader module in a clean interpreter."""
    return [sys.executable, "-s", "-P", "-c", BOOT, str(package_folder()), module, *arguments]


def environment(start: str) -> Mapping[str, str]:
    """Return the whole environment of a sandbox process.

    A zygote must not touch CUDA, whose state does not survive a fork, so it sees no device; a
    fresh interpreter sees those that the driver sees.
    """
    found = dict(ENVIRONMENT)
    kept = ["LD_LIBRARY_PATH"]
    if start == "fork":
        found["CUDA_VISIBLE_DEVICES"] = ""
    else:
        kept.append("CUDA_VISIBLE_DEVICES")
    return found | {name: os.environ[name] for name in kept if name in os.environ}
