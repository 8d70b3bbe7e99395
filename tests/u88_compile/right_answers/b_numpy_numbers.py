"""Sizes come as NumPy integers, in another order of keys."""

def guard_failure(example, args, dynamic=(), shared=(), _right=guard_failure):
    failed = _right(example, args, dynamic, shared)
    if failed is None:
        return None
    told = {key: failed[key] for key in reversed(list(failed))}
    if failed["kind"] in ("size", "rank", "shared", "zero_one"):
        told["expected"], told["actual"] = np.int64(told["expected"]), np.int64(told["actual"])
    return told
