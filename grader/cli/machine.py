"""Questions to this machine: programs, torch and its devices, the clock and its noise."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

_PATIENCE = 20.0  # [s]
_TORCH_PATIENCE = 180.0  # [s]; a cold import without byte code takes a minute
_RUN = 2e-3  # length of one timed run [s]
_PAIRS = 80
_NOISY = 0.05  # typical difference of two equal runs [1]
_TORCH_QUESTION = """
import json, time
start = time.perf_counter()
import torch
seconds = time.perf_counter() - start
devices = [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(torch.cuda.device_count())]
if torch.backends.mps.is_available():
    devices.append("mps")
print(json.dumps({"version": torch.__version__, "seconds": seconds, "devices": devices}))
"""


@dataclass(frozen=True, slots=True)
class TorchAnswer:
    """What a fresh process says about torch.

    Attributes:
        version: Version of torch.
        seconds: Wall time of its import [s].
        devices: Accelerators, by name.
        problem: Why there is no answer; empty when there is one.
    """

    version: str = ""
    seconds: float = 0.0
    devices: tuple[str, ...] = ()
    problem: str = ""


def torch_answer() -> TorchAnswer:
    """Import torch in a process of its own, so that this one stays light, and ask for devices."""
    command = [sys.executable, "-P", "-c", _TORCH_QUESTION]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TORCH_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return TorchAnswer(problem=f"it took more than {_TORCH_PATIENCE:g} s")
    except OSError as error:
        return TorchAnswer(problem=str(error.strerror))
    try:
        said = json.loads(done.stdout.strip().splitlines()[-1])
        return TorchAnswer(said["version"], said["seconds"], tuple(said["devices"]))
    except (IndexError, ValueError, KeyError, TypeError):
        lines = done.stderr.strip().splitlines() or [f"the process ended with {done.returncode}"]
        return TorchAnswer(problem=lines[-1])


def program_version(name: str) -> str:
    """Return the first line of ``name --version``; empty if there is no such program."""
    program = shutil.which(name)
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines else name


def clock_words() -> str:
    """Say how fine the clock is, and what one reading costs."""
    resolution = time.get_clock_info("perf_counter").resolution  # [s]
    readings = [time.perf_counter_ns() for _ in range(2001)]
    cost = statistics.median(after - before for before, after in itertools.pairwise(readings))
    return f"resolution {resolution * 1e9:g} ns, one reading {cost:g} ns"


def noise_words() -> tuple[str, str]:
    """Say how much two equal runs differ here, and what that means; empty when it is little."""
    spread = equal_run_spread()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    pairs = f"median of {_PAIRS}{load}"
    words = f"two equal runs of {_RUN * 1e3:g} ms differ by {100 * spread:.2g} % ({pairs})"
    if spread <= _NOISY:
        return words, ""
    return words, "a busy machine: verdicts on time may be inconclusive"


def equal_run_spread(pairs: int = _PAIRS, run: float = _RUN) -> float:
    """Return how far two equal runs in a row typically differ [1].

    Args:
        pairs: Pairs of runs to time.
        run: Length of one run [s].

    Returns:
        Median over the pairs of the difference, relative to the shorter run.
    """
    rounds = _rounds_for(run)
    differences = []
    for _ in range(pairs):
        first, second = _timed(rounds), _timed(rounds)
        differences.append(abs(first - second) / min(first, second))
    return statistics.median(differences)


def _rounds_for(run: float) -> int:
    """Return how many rounds of work take about `run` [s]."""
    rounds = 1000
    fastest = min(_timed(rounds) for _ in range(5))
    return max(1, round(rounds * run / fastest))


def _timed(rounds: int) -> float:
    """Return the wall time of some rounds of plain work [s]."""
    start = time.perf_counter()
    total = 0
    for value in range(rounds):
        total += value * value
    return time.perf_counter() - start
