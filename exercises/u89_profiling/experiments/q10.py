"""The whole becomes faster by this factor when a fifth of it does."""

part = 0.20
for speedup in (1.5, 2, 10, 1000, float("inf")):
    whole = (1 - part) + part / speedup
    print(f"the phase {speedup:6} times as fast, the step {1 / whole:.4f} times")
