"""Gives SGD with momentum the states of Adam."""

STATES = {**STATES, "momentum": 2}
