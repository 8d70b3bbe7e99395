"""Torch Evidence: an autograder that measures, for exercises on reliable PyTorch execution."""

__version__ = "0.1.0"
