"""Runs the closed-book loop in bfloat16.

check = "8.4.n/closed_book_runs_in_float16"
stage = "torch"
says = "The layers ran in another dtype than float16: CPU autocast has bfloat16 by default."
"""

_float16_loop = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    true = torch.float16
    torch.float16 = torch.bfloat16
    try:
        return _float16_loop(steps, bad_step, growth_interval)
    finally:
        torch.float16 = true
