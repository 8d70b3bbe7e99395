"""Relies on what zip finds out by itself.

check = "8.7.d/damaged_bytes_are_refused"
stage = "numpy"
says = "Zip has a sum for each member and none for its own tables, and it raises errors of its own: a digest of all bytes says it before anything is read."
"""


def unpack_state(data):
    with np.load(io.BytesIO(data[32:]), allow_pickle=False) as arrays:
        return _deep(json.loads(arrays["json"].tobytes()), arrays)
