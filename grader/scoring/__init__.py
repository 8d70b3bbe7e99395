"""Scoring: from evidence to the levels of the rubric's rows, as pure functions of data."""
