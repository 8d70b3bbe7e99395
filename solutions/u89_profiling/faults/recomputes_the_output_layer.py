"""Runs the output layer again too.

check = "8.9.d/what_checkpointing_runs_again"
stage = "numpy"
says = "Checkpointing wraps the blocks. The output layer comes after the last of them and is not run again."
# the published count of Megatron is one with recomputation
# the checks of many cases have this one among them
also = ["8.9.d/published_transformers", "8.9.d/every_transformer_exactly"]
"""

_blocks_again = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    step = _blocks_again(L, d, T, B, V, attention, recompute)
    if recompute == "full":
        step["recomputed"] += step["head"]
        step["hardware"] += step["head"]
    return step
