"""Stores the state as a pickle.

check = "8.7.d/nothing_is_unpickled"
stage = "numpy"
says = "Reading a pickle runs what the file says. A digest does not help: whoever writes the file writes the digest too."
"""

import pickle


def pack_state(state):
    _flat(state, {})
    body = pickle.dumps(_plain_data(state))
    return hashlib.sha256(body).digest() + body


def unpack_state(data):
    if hashlib.sha256(data[32:]).digest() != data[:32]:
        raise ValueError("damaged")
    return pickle.loads(data[32:])


def _plain_data(value):
    if isinstance(value, dict):
        return {key: _plain_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain_data(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
