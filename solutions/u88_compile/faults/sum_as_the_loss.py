"""Sums the outputs up, which may cancel.

check = "8.8.j/a_wrong_backward_is_found"
stage = "torch"
says = "The plain sum of the outputs is the loss. Where outputs cancel in it, as those of a softmax do, every gradient is 0, right or wrong."
"""


def _outcome(model, batch, training, backend, seed):
    model = copy.deepcopy(model).train(training)
    model.zero_grad()
    x = batch.detach().clone()
    if x.is_floating_point():
        x.requires_grad_()
    torch._dynamo.reset()
    run = model if backend is None else torch.compile(model, backend=backend)
    torch.manual_seed(seed)
    output = run(x)
    if output.requires_grad:
        output.sum().backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    return output.detach(), {**gradients, "the batch": x.grad}
