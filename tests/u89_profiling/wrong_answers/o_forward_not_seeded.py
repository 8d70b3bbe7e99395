"""Does not seed the RNG before the forward."""

def _first_step(make, make_base, seed):
    source, trainer = make_base(seed), make(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    with torch.no_grad():
        outputs = trainer.model(x)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    return (outputs, loss.detach()), {
        n.removeprefix("_orig_mod."): p.grad for n, p in trainer.model.named_parameters()
    }
