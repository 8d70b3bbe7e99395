"""Counts what checkpointing runs again as work of the model.

check = "8.9.c/recomputation_is_not_model_work"
stage = "numpy"
says = "Recomputed products are in the model FLOPs: four forwards instead of three. Switching checkpointing on would then raise the reported utilisation while the training gets slower."
source = "pytorch/torchtitan PR#280"
# the checks of many cases have this one among them
also = ["8.9.c/every_combination_exactly"]
"""

_apart_training_flops = training_flops


def training_flops(matmuls, attention_forward=0, recompute="none", first_input_needs_grad=True):
    step = _apart_training_flops(matmuls, attention_forward, recompute, first_input_needs_grad)
    return {**step, "model": step["hardware"]}
