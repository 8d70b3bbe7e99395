"""Three good steps, a save without the growth counter, three more steps."""

import torch


def steps(scaler, count):
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(count):
        optimizer.zero_grad()
        scaler.scale(weight.sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        print("  scale", scaler.get_scale(), " counter", scaler.state_dict()["_growth_tracker"])


scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=4)
steps(scaler, 3)
state = scaler.state_dict() | {"_growth_tracker": 0}
resumed = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=4)
resumed.load_state_dict(state)
print("resumed without the counter")
steps(resumed, 3)
print("in the end:", resumed.get_scale())
