"""Adds up a list of terms, as NumPy integers."""

def predict_saved_bytes(widths, batch, frozen=(), input_grad=False, activation="relu", itemsize=4):
    import numpy as np

    frozen, layers = set(frozen), len(widths) - 1
    if layers < 1 or np.any(np.array(widths) < 1) or batch < 0 or itemsize < 1:
        raise ValueError("sizes")
    if not frozen <= set(range(layers)) or activation not in ("relu", "gelu"):
        raise ValueError("layers or activation")
    sizes = np.array(widths[:-1], dtype=np.int64) * batch * itemsize
    trained = np.array([n not in frozen for n in range(layers)])
    before = np.logical_or.accumulate(np.r_[input_grad, trained])[1:layers]
    hidden = (before | trained[1:]) if activation == "relu" else before.astype(int) + trained[1:]
    hidden = sizes[1:] * hidden
    first = sizes[0] * trained[0]
    return {"input": first, "hidden": list(hidden), "total": first + hidden.sum()}
