"""Fetches the loss in every step.

check = "8.2.k/one_wait_for_each_line"
stage = "torch"
says = "The host waited in every step. Add up on the device, and fetch one number for a line."
source = "meta-pytorch/torchtune PR#522, NVIDIA/apex#316"
"""


def quiet_training(step, batches, every, log):
    if every < 1:
        raise ValueError("every")
    return loud_training(step, batches, every, log)
