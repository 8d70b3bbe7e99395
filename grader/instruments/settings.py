"""Settings of the process, which a function may change for itself and has to put back.

Blind to: environment variables, and settings of other devices than the CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def settings() -> dict[str, str]:
    """Return the settings of this process that change what other code computes, or how fast."""
    import torch
    from torch.nn.modules import module
    from torch.optim import optimizer

    of_modules = (
        module._global_backward_hooks,
        module._global_backward_pre_hooks,
        module._global_forward_hooks,
        module._global_forward_pre_hooks,
    )
    of_optimizers = (optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks)
    return {
        "anomaly detection": str(torch.is_anomaly_enabled()),
        "autocast": str(torch.is_autocast_enabled("cpu")),
        "default device": str(torch.get_default_device()),
        "default dtype": str(torch.get_default_dtype()),
        "deterministic algorithms": str(torch.are_deterministic_algorithms_enabled()),
        "gradients": str(torch.is_grad_enabled()),
        "hooks of all modules": str(sum(map(len, of_modules))),
        "hooks of all optimizers": str(sum(map(len, of_optimizers))),
        "inference mode": str(torch.is_inference_mode_enabled()),
        "matmul precision": torch.get_float32_matmul_precision(),
        "profiler": str(torch.autograd.profiler._is_profiler_enabled),
        "threads": str(torch.get_num_threads()),
        "tracing": str(sys.gettrace() is not None or sys.getprofile() is not None),
    }


def changed_by(run: Callable[[], Answer]) -> tuple[Answer, list[str]]:
    """Call `run`; return what it gives, and the names of the settings it left changed."""
    before = settings()
    answer = run()
    after = settings()
    return answer, [name for name, setting in before.items() if after[name] != setting]
