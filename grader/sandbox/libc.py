"""The C library of this process, opened once: walls are put up in a hundred calls of it."""

from __future__ import annotations

import ctypes

LIBC = ctypes.CDLL(None, use_errno=True)
"""Sets `ctypes.get_errno`; arguments and results are C's int unless they are wrapped."""
