"""The solution, unchanged."""
