"""An operator is called with two shapes: how many rows does each pair of settings give it?"""

import torch
from torch.profiler import ProfilerActivity, profile


def rows(recorded, grouped):
    with profile(activities=[ProfilerActivity.CPU], **recorded) as prof:
        torch.ones(2, 3) @ torch.ones(3, 4)
        torch.ones(2, 3) @ torch.ones(3, 5)
    return sum(entry.key == "aten::mm" for entry in prof.key_averages(**grouped))


shapes, by_shape = {"record_shapes": True}, {"group_by_input_shape": True}
print("record_shapes, group_by_input_shape: ", rows(shapes, by_shape))
print("record_shapes, sorted afterwards:    ", rows(shapes, {}))
print("with_stack, group_by_stack_n:        ", rows({"with_stack": True}, {"group_by_stack_n": 1}))
print("profile_memory, group_by_input_shape:", rows({"profile_memory": True}, by_shape))
