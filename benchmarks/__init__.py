"""Measurements of the grader itself: what it costs, and whether it says the same twice."""
