"""Stores arrays under the name of their dtype, which says nothing of the order of the bytes."""

_pack = pack_state


def pack_state(state):
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            raw = np.ascontiguousarray(value).tobytes()
            return np.frombuffer(raw, value.dtype.name).reshape(value.shape)
        return value

    return _pack(plain(state) if isinstance(state, dict) else state)
