"""Keeps NaN only where the quiet bit is set."""

_true = round_bf16


def round_bf16(x):
    x = np.asarray(x)
    rounded = np.array(_true(x))
    bits = np.atleast_1d(x).copy().view(np.uint32).reshape(x.shape)
    signalling = np.isnan(x) & ((bits & np.uint32(0x00400000)) == 0)
    return np.where(signalling, np.float32(np.inf), rounded).astype(np.float32)
