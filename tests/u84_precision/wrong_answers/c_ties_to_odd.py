"""Makes ties odd."""

_true = round_bf16


def round_bf16(x):
    x = np.asarray(x)
    rounded = _true(x)
    if not x.ndim:
        return rounded
    bits = x.copy().reshape(-1).view(np.uint32)
    tie = (bits & np.uint32(0xFFFF)) == 0x8000
    odd = ((bits >> np.uint32(16)) | np.uint32(1)) << np.uint32(16)
    flat = np.where(tie & np.isfinite(x.reshape(-1)), odd.view(np.float32), rounded.reshape(-1))
    return flat.reshape(x.shape)
