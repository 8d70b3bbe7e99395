"""Two iterations without scaler.update()."""

import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for iteration in (1, 2):
    scaler.scale(weight.sum()).backward()
    for name, call in (("unscale_", scaler.unscale_), ("step", scaler.step)):
        try:
            call(optimizer)
            print(f"iteration {iteration}, {name}: done, scale {scaler.get_scale():g}")
        except RuntimeError as error:
            print(f"iteration {iteration}, {name}: RuntimeError: {error}")
