"""The report of one grade: its model, its file, and how a terminal shows it."""
