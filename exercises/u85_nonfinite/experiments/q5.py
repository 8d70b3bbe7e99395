"""Attention of three queries, of which the second sees nothing, fused and by hand."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
tokens = torch.randn(1, 1, 3, 4)
keep = torch.tensor([[True, True, True], [False, False, False], [True, False, True]])
fused = F.scaled_dot_product_attention(tokens, tokens, tokens, attn_mask=keep)
scores = (tokens @ tokens.transpose(-1, -2) / 2).masked_fill(~keep, -torch.inf)
by_hand = scores.softmax(-1) @ tokens
print("fused  ", fused[0, 0, 1].tolist())
print("by hand", by_hand[0, 0, 1].tolist())
