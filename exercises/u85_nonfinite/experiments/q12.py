"""A score that float16 cannot hold, and the softmax of its row."""

import torch

scores = torch.tensor([66246.0, 1.0]).half()
softmax = scores.softmax(-1)
print("in float16", scores.tolist())
print("softmax   ", softmax.tolist(), " NaN:", int(softmax.isnan().sum()))
