"""Looks at the bytes of a state, and at no other number of a policy."""

_e_checked = _policy


def _policy(policy):
    if isinstance(policy, str):
        return _e_checked(policy)
    _e_checked({name: number if name == "state" else 0 for name, number in policy.items()})
    return {**dict.fromkeys(OPTIONAL, 0), **policy}
