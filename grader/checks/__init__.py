"""Hidden checks: plain pytest functions that run in the driver and judge plain data."""

from grader.checks.marks import check

__all__ = ["check"]
