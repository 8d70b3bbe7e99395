"""One grade from end to end: submission, checks, sheet, rows, report."""

from grader.grading.grade import GradeRequest, Listener, Outcome, grade, open_sandbox

__all__ = ["GradeRequest", "Listener", "Outcome", "grade", "open_sandbox"]
