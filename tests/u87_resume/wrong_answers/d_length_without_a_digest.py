"""Writes eight bytes in front of the digest and never looks at them."""

_pack, _unpack = pack_state, unpack_state


def pack_state(state):
    body = _pack(state)
    return body[:32] + (7).to_bytes(8, "little") + body[32:]


def unpack_state(data):
    return _unpack(data[:32] + data[40:])
