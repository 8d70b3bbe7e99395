"""Still reads the peak.

check = "8.8.g/scaled_gives_the_same"
stage = "torch"
says = "The peak is still read as a number, which breaks the graph."
"""


def scaled(x):
    return x / max(float(x.abs().max()), 1.0)
