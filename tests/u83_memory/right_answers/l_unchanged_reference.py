"""The solution as it is."""

phase_memory = phase_memory
