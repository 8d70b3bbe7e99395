"""Returns the prediction in the place of a measurement.

check = "8.3.p/closed_book_ran_and_named"
stage = "torch"
says = "No step was run: what was predicted stands in the place of what was measured."
"""


def closed_book_memory(widths, batch):
    weights = sum(n * m + m for n, m in pairwise(widths))
    predicted = {
        "parameters": 4 * weights,
        "gradients": 4 * weights,
        "optimizer": 8 * weights + 8 * (len(widths) - 1),
        "activations": 4 * batch * sum(widths[1:]) + 8,
    }
    return {
        "predicted": predicted,
        "measured": dict(predicted),
        "peak_phase": "optimizer",
        "sentence": "The peak is in the optimizer.",
    }
