"""Adds the region's times up."""

_plain = measured


def measured(before, region, policy, sync=1):
    if policy == "honest":
        return sum(op.get("launch", 0) + op.get("device", 0) for op in region) + sync
    return _plain(before, region, policy, sync)
