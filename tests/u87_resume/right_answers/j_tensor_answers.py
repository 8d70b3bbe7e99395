"""Numbers as tensors and NumPy scalars, parts in a tuple."""

_plain = first_divergence


def first_divergence(run_a, run_b, tolerance=0.0):
    answer = _plain(run_a, run_b, tolerance)
    if answer is None:
        return None
    largest = torch.tensor(answer["largest"], dtype=torch.float64)
    parts = tuple(answer["parts"])
    return {"step": np.int64(answer["step"]), "parts": parts, "largest": largest}
