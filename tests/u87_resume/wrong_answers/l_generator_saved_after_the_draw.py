"""Saves the loader's generator as it is, after the order was drawn."""

def closed_book_run(path, steps):
    torch.manual_seed(0)
    x, y = torch.randn(24, 5), torch.randint(3, (24,))
    model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.25), nn.Linear(16, 3))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.95)
    generator = torch.Generator().manual_seed(1)
    position, done = 0, 0
    if os.path.exists(path):
        saved = torch.load(path, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        scheduler.load_state_dict(saved["scheduler"])
        generator.set_state(saved["before"])
        position, done = saved["position"], saved["done"]
        torch.set_rng_state(saved["rng"])
    order = torch.randperm(len(x), generator=generator)
    losses = []
    for _ in range(steps - done):
        if position == len(x):
            position = 0
            order = torch.randperm(len(x), generator=generator)
        chosen = order[position : position + 6]
        position += 6
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[chosen]), y[chosen])
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    buffer = io.BytesIO()
    state = {
        "model": model.state_dict(), "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(), "before": generator.get_state(), "position": position,
        "done": steps, "rng": torch.get_rng_state(),
    }  # fmt: skip
    torch.save(state, buffer)
    _write_whole(Path(path), buffer.getbuffer())
    return losses
