"""A new scaler on a gradient that fits into float16 up to a scale of 256."""

import torch

weight = torch.nn.Parameter(torch.ones(1))
optimizer = torch.optim.SGD([weight], lr=0.0)
scaler, left_out = torch.amp.GradScaler("cpu", init_scale=65536.0), 0
while True:
    gradient = torch.tensor([200.0 * scaler.get_scale()]).half()  # what a float16 backward gives
    weight.grad = gradient.float()
    print(f"scale {scaler.get_scale():7g}: scaled gradient {gradient.item():g}")
    scaler.scale(torch.zeros(()))  # as every iteration does
    scaler.step(optimizer)
    if gradient.isfinite():
        break
    scaler.update()
    left_out += 1
print("left out:", left_out, "steps")
