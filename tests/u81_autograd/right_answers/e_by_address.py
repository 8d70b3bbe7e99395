"""Tells buffers apart by the address of their owner."""

def saved_bytes(saved, params):
    def key(array):
        while isinstance(array.base, np.ndarray):
            array = array.base
        return array.__array_interface__["data"][0], array.nbytes, id(array)

    known = set(map(key, params))
    mine = [array for array in saved if key(array) not in known]
    keys = set(map(key, mine))
    return {
        "packs": np.int64(len(saved)),
        "buffers": np.int64(len(keys)),
        "bytes": sum(size for _, size, _ in keys),
        "naive": sum(np.prod(array.shape, dtype=int) * array.itemsize for array in mine),
    }
