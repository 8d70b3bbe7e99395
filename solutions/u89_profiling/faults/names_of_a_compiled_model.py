"""Leaves the prefix of torch.compile in the names.

check = "8.9.o/sound_code_is_not_rejected"
stage = "torch"
says = "The names of a compiled model begin with _orig_mod., and its gradients were missed for that alone. Take the prefix off."
"""


def _first_step(make, make_base, seed):
    trainer, source = make(seed), make_base(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    torch.manual_seed(seed)
    with torch.no_grad():
        outputs = trainer.model(x)
    torch.manual_seed(seed)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    gradients = {name: parameter.grad for name, parameter in trainer.model.named_parameters()}
    return (outputs, loss.detach()), gradients
