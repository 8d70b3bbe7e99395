"""Counts looking up a token as a product with the table.

check = "8.9.d/live_transformer"
stage = "numpy"
says = "The token table was counted as a weight of a product. A lookup copies a row and multiplies nothing: only weights in products cost FLOPs."
# every model with a vocabulary shows it
# the checks of many cases have this one among them
also = ["8.9.d/attention_convention_is_named", "8.9.d/what_checkpointing_runs_again", "8.9.d/published_transformers", "8.9.d/every_transformer_exactly"]
source = "karpathy/nanoGPT#322"
"""

_free_lookup = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    step = _free_lookup(L, d, T, B, V, attention, recompute)
    for key, times in (("forward", 1), ("backward", 2), ("model", 3), ("hardware", 3)):
        step[key] += times * step["head"]
    return step
