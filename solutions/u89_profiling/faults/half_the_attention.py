"""Uses half the attention term although the whole one was asked for.

check = "8.9.d/attention_convention_is_named"
stage = "numpy"
says = "The attention term is half of what this convention counts: 2 instead of 4 B T^2 d a block. Two products make and use the scores."
# every count with the whole attention term shows it
# the checks of many cases have this one among them
also = ["8.9.d/what_checkpointing_runs_again", "8.9.d/published_transformers", "8.9.d/live_transformer", "8.9.d/every_transformer_exactly"]
source = "karpathy/nanoGPT#456"
"""

_whole_attention = transformer_step_flops


def transformer_step_flops(L, d, T, B, V, attention="full", recompute="none"):
    word = "causal" if attention == "full" else attention
    return _whole_attention(L, d, T, B, V, word, recompute)
