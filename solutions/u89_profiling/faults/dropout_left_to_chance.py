"""Does not seed the RNG before the forward.

check = "8.9.o/sound_code_is_not_rejected"
stage = "torch"
says = "The two sides drew other dropout masks. Seed the RNG right before each forward, after the trainer is made."
"""


def _first_step(make, make_base, seed):
    trainer, source = make(seed), make_base(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    with torch.no_grad():
        outputs = trainer.model(x)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    gradients = {
        name.removeprefix("_orig_mod."): parameter.grad
        for name, parameter in trainer.model.named_parameters()
    }
    return (outputs, loss.detach()), gradients
