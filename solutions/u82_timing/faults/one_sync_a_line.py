"""Reports each line once.

check = "8.2.j/syncs_come_with_their_lines"
stage = "torch"
says = "A line that waits three times was reported once. Each time costs."
also = [
  "8.2.j/syncs_in_helpers_and_in_libraries",
]
"""

_fair_syncs = host_syncs


def host_syncs(fn):
    found = _fair_syncs(fn)
    return [sync for place, sync in enumerate(found) if sync not in found[:place]]
