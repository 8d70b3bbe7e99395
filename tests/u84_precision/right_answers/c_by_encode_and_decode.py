"""Goes by the codecs instead of the bits."""

def round_bf16(x):
    if np.asarray(x).dtype != np.float32:
        raise ValueError("float32")
    return decode(encode(x, 8, 7), 8, 7).astype(np.float32)
