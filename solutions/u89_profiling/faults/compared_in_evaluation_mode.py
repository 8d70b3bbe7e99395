"""Calls the model in evaluation mode.

check = "8.9.o/nothing_agrees_by_accident"
stage = "torch"
says = "The outputs were compared in evaluation mode. What the trainer does is what the model does in training mode."
"""


def _first_step(make, make_base, seed):
    trainer, source = make(seed), make_base(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    trainer.model.eval()
    with torch.no_grad():
        outputs = trainer.model(x)
    trainer.model.train()
    torch.manual_seed(seed)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    gradients = {
        name.removeprefix("_orig_mod."): parameter.grad
        for name, parameter in trainer.model.named_parameters()
    }
    return (outputs, loss.detach()), gradients
