"""Believes whatever stands under a key that may be left out."""

_e_needed = _policy


def _policy(policy):
    if isinstance(policy, str):
        return _e_needed(policy)
    return {**_e_needed({**policy, "master": 0, "counter": 0}),
            **{name: policy.get(name, 0) for name in OPTIONAL}}  # fmt: skip
