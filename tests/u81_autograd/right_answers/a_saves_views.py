"""Saves transposed views, and returns lists."""

def linear_vjp(x, W, b, needs):
    if x.shape[1:] != W.shape[1:] or b.shape != W.shape[:1] or x.ndim != 2:
        raise ValueError("shapes")
    if len(needs) != 3 or len({array.dtype for array in (x, W, b)}) != 1:
        raise ValueError("needs or dtypes")
    saved = [x.T] if needs[1] else []
    if needs[0]:
        saved = [W[...], *saved]

    def pull(saved, g):
        saved = list(saved)
        gx = np.matmul(g, saved.pop(0)) if needs[0] else None
        gW = np.matmul(saved.pop(0), g).T if needs[1] else None
        return [gx, gW, np.add.reduce(g) if needs[2] else None]

    return np.add(np.inner(x, W), b), saved, pull
