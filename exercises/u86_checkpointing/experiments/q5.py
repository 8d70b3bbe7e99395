"""Activations that are alive while the backward goes through 100 layers in 4 segments."""

layers, segments = 100, 4
length = layers // segments
kept = segments  # the inputs of the segments, from the forward
peak, alive = kept, kept
for number in reversed(range(segments)):
    recomputed = length  # its layers' activations, from its kept input
    print(f"segment {number}: {kept} inputs kept + {recomputed} recomputed = {kept + recomputed}")
    peak = max(peak, kept + recomputed)
    kept -= 1  # the segment is done, and its input is let go
print("peak:", peak)
