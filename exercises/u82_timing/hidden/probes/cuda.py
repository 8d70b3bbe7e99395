"""The same functions on a CUDA device, where there is one."""

from __future__ import annotations

import statistics
import time
from typing import Any


def _product(size: int) -> Any:
    """Return a function that hands over one product of two large matrices."""
    import torch

    x = torch.ones(size, size, device="cuda")

    def fn() -> None:
        x @ x

    return fn


def _by_events(fn: Any, repeats: int) -> float:
    """Return the median time of a function on the device [s]."""
    import torch

    for _ in range(3):
        fn()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        fn()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / 1000)
    return statistics.median(times)


def timed_on_cuda(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Time a product with the student's two timers, by launches alone, and by events [s]."""
    import torch

    fn = _product(case["size"])
    expected = _by_events(fn, 20)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    fn()
    launch = time.perf_counter() - begin
    result = stage.time_callable(fn, stage.HostClock("cuda"))
    torch.cuda.synchronize()
    events = stage.event_times(fn, stage.CudaDevice())
    return {"honest": result["median"], "events": statistics.median(events),
            "device": expected, "launch": launch}  # fmt: skip


def prefetched_on_cuda(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Prefetch batches while the device is kept busy; return what each of them adds up to."""
    import torch

    count, size = case["count"], case["size"]
    busy, sums = _product(case["busy"]), []
    source = ([torch.full((size,), float(i))] for i in range(count))
    for (tensor,) in stage.prefetch(source, stage.CudaDevice()):
        busy()
        sums.append(tensor.double().sum())
        del tensor
    return {"sums": [float(total) for total in sums]}
