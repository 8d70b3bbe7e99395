"""Calls the model in evaluation mode."""

def _first_step(make, make_base, seed):
    source, trainer = make_base(seed), make(seed)
    x, y = trainer.transfer(source.fetch(iter(source.batches)))
    trainer.model.eval()
    with torch.no_grad():
        outputs = trainer.model(x)
    trainer.model.train()
    torch.manual_seed(seed)
    loss = trainer.forward(x, y)
    trainer.backward(loss)
    return (outputs, loss.detach()), {
        n.removeprefix("_orig_mod."): p.grad for n, p in trainer.model.named_parameters()
    }
