"""Does not take the prefix of torch.compile off."""


def _first_step(make, make_base, seed):
    trainer, source = make(seed), make_base(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    torch.manual_seed(seed)
    with torch.no_grad():
        outputs = trainer.model(x)
    torch.manual_seed(seed)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    return (outputs, loss.detach()), {n: p.grad for n, p in trainer.model.named_parameters()}
