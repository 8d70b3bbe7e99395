"""Looks at the methods that one calls by name, and at no conversion.

check = "8.2.j/every_kind_of_sync_is_named"
stage = "torch"
says = "A conversion was not found. `if t > 0`, `float(t)`, `print(t)` and `np.asarray(t)` wait as `.item()` does."
also = [
  "8.2.j/syncs_come_with_their_lines",
]
"""

_SYNCS = frozenset(name for name in _SYNCS if not name.startswith("__"))
