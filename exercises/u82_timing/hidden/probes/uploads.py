"""Prefetching on simulated streams, where a batch can be used before it has arrived."""

from __future__ import annotations

from typing import Any


class _Host:
    """A device that is the host itself; whoever asks it for more than that is told so."""

    asynchronous = False

    def synchronize(self) -> None:
        """Return at once."""


def passed_on(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Prefetch on a device that is not asynchronous; say what was pulled at each batch."""
    import torch

    batches = [[torch.full((2,), float(i))] for i in range(case["count"])]
    pulled: list[int] = []

    def source() -> Any:
        for number, batch in enumerate(batches):
            pulled.append(number)
            yield batch

    ahead, same = [], []
    for number, batch in enumerate(stage.prefetch(source(), _Host())):
        ahead.append(len(pulled) - number - 1)
        same.append(number < len(batches) and batch is batches[number])
    return {"ahead": ahead, "same": same}


def _batches(case: dict[str, Any]) -> list[list[Any]]:
    """Return host batches of the shapes of the case, each tensor with values of its own."""
    import torch

    batches, number = [], 0
    for _ in range(case["count"]):
        batch = []
        for shape, dtype, flip in case["tensors"]:
            tensor = torch.arange(number, number + _size(shape)).to(getattr(torch, dtype))
            tensor = tensor.reshape(shape)
            batch.append(tensor.transpose(0, 1) if flip else tensor)
            number += 7
        batches.append(tuple(batch) if case.get("tuples") else batch)
    return batches


def _size(shape: list[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def prefetched(stage: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Prefetch on simulated streams and compute with every batch; return what was seen.

    ``users`` of the case are the streams that take the batches, in order, by number; the last of
    them takes the others. Number 0 is the stream that is current when nobody chose another. After
    the batches in ``read`` the caller waits for the device, as for a number that it prints.
    """
    from grader.instruments.simulated_streams import SimulatedStreams

    device = SimulatedStreams(launch=case["launch"], sync=1, link=case["link"])
    originals = _batches(case)
    pulled: list[int] = []

    def source() -> Any:
        for number in range(len(originals)):
            pulled.append(number)
            yield originals[number]

    numbers = case.get("users", [0])
    streams = [device.current_stream(), *(device.stream() for _ in range(max(numbers)))]
    seen: dict[str, Any] = {"ahead": [], "uploads": [], "stream": [], "right": [], "kinds": []}
    side = _noting_streams(device)
    begin, nothing = device.host, object()
    batches = iter(stage.prefetch(source(), device))
    for number in range(len(originals) + 2):
        user = streams[numbers[min(number, len(numbers) - 1)]]
        with device.on(user):
            batch = next(batches, nothing)
            if batch is nothing:
                break
            seen["ahead"].append(len(pulled) - number - 1)
            seen["uploads"].append(device.history.count("upload"))
            seen["stream"].append(device.current_stream() is user)
            seen["kinds"].append(type(batch).__name__)
            tensors = list(batch) if isinstance(batch, tuple | list) else []
            wanted = originals[number] if number < len(originals) else []
            seen["right"].append(_same(tensors, wanted))
            device.work(case["compute"], tensors)
            del batch, tensors
        if number in case.get("read", []):
            device.synchronize()
    seen["waits"] = device.waits
    device.synchronize()
    hazards = sorted(set(device.hazards))
    return {**seen, "total": device.host - begin, "hazards": hazards, "copy streams": len(side)}


def _noting_streams(device: Any) -> set[int]:
    """Return a set that gets the number of each stream in which something is uploaded."""
    numbers: set[int] = set()
    plain = device.upload

    def upload(tensor: Any) -> Any:
        numbers.add(device.current_stream().number)
        return plain(tensor)

    device.upload = upload
    return numbers


def _same(tensors: list[Any], wanted: list[Any]) -> bool:
    """Whether tensors have the values, shapes and dtypes of the host's, and are copies."""
    import torch

    return len(tensors) == len(wanted) and all(
        isinstance(got, torch.Tensor)
        and got.dtype == want.dtype
        and got.shape == want.shape
        and bool((got == want).all())
        and _copied(got, want)
        for got, want in zip(tensors, wanted, strict=True)
    )


def _copied(got: Any, want: Any) -> bool:
    """Whether a tensor came from an upload and is not the host's own."""
    return want.numel() == 0 or got.data_ptr() != want.data_ptr()
