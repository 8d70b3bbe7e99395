"""Sample submissions, to look at what the grader says."""
