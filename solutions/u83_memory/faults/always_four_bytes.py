"""Counts 4 bytes an element whatever the dtype.

check = "8.3.f/live_chains"
stage = "numpy"
says = "This is what 4 bytes an element give. The size of an item was handed in."
also = ["8.3.f/what_each_layer_keeps"]
"""

_sized_activation_bytes = activation_bytes


def activation_bytes(layers, batch, width, itemsize=4):
    return _sized_activation_bytes(layers, batch, width, itemsize) // int(itemsize) * 4
