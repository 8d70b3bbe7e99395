"""A BatchNorm after one batch with a NaN in its third feature, in evaluation on fine data."""

import torch

torch.manual_seed(0)
norm, batch = torch.nn.BatchNorm1d(3), torch.randn(4, 3)
spoiled = batch.clone()
spoiled[1, 2] = torch.nan
norm(spoiled)
norm(batch)
out = norm.eval()(batch)
print("running mean:", norm.running_mean.tolist())
print(
    "NaN by feature:",
    out.isnan().any(0).tolist(),
    " by example:",
    out[:, :2].isnan().any(1).tolist(),
)
print("NaN in its weight:", norm.weight.isnan().any().item())
