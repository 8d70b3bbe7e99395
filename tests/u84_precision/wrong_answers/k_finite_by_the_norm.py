"""Goes by a norm in float32, which is infinite for large gradients that are finite."""


def amp_step(model, optimizer, scaler, batches, max_norm=None, *, loss_fn=F.cross_entropy,
             scheduler=None, device="cpu", dtype=torch.float16, floor=0.0):
    _refuse(device, dtype)
    if dtype == torch.float16 and not scaler.is_enabled():
        raise ValueError("no scaler")
    if not batches or (max_norm is not None and not max_norm > 0):
        raise ValueError("nothing to do")
    optimizer.zero_grad()
    scale, losses = scaler.get_scale(), []
    for x, y in batches:
        with torch.autocast(_kind(device), dtype=dtype):
            losses.append(loss_fn(model(x), y) / len(batches))
        scaler.scale(losses[-1]).backward()
    scaler.unscale_(optimizer)
    held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
    norm = nn.utils.get_total_norm([p.grad for p in held])
    stepped = bool(norm.isfinite())
    if stepped:
        if max_norm is not None:
            nn.utils.clip_grads_with_norm_(held, max_norm, norm)
        scaler.step(optimizer)
        if scheduler is not None:
            scheduler.step()
    scaler.update()
    if scaler.is_enabled() and scaler.get_scale() < floor:
        raise RuntimeError("below the floor")
    loss = torch.stack(losses).sum().detach().float()
    return {"loss": loss, "norm": norm, "scale": scale, "stepped": stepped}
