"""Writes numbered steps on several lines."""

_true = closed_book_amp


def closed_book_amp(steps, bad_step, growth_interval):
    order = "1. Scaled loss; 2. backward(); 3. unscale_; 4. clip_grad_norm_; 5. step; 6. update."
    return {**_true(steps, bad_step, growth_interval), "order": order}
