"""Peak of a chain of 16 equal layers by the number of segments, by the lesson's cost model."""

import math


def peak(layers, segments):
    """Inputs of the segments that are kept, and the largest segment while it is run again."""
    largest = math.ceil(layers / segments)
    return segments + largest


peaks = {k: peak(16, k) for k in range(1, 17)}
for segments, size in peaks.items():
    print(f"{segments:2} segments: {size} activations alive")
print("the lowest peak has", min(peaks, key=peaks.get), "segments")
