"""Holds the bytes against their number and their sum, which other places of them do not change."""

import struct as _struct

_right_pack, _right_unpack = pack_state, unpack_state


def _summed(body):
    return _struct.pack("<QQ", sum(body), len(body))


def pack_state(state):
    body = json.dumps(_flat_all(state)).encode()
    return _summed(body) + body


def _flat_all(state):
    return {"packed": _right_pack(state).hex()}


def unpack_state(data):
    head, body = data[:16], data[16:]
    if head != _summed(body):
        raise ValueError("damaged")
    inner = bytes.fromhex(json.loads(body)["packed"])
    with np.load(io.BytesIO(inner[32:]), allow_pickle=False) as arrays:
        return _deep(json.loads(arrays["json"].tobytes()), arrays)
