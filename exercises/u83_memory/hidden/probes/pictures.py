"""What the sheet's measurements saw beyond one number, for the charts of a report."""

from __future__ import annotations

from typing import Any

from .live import PHASES, make_optimizer, mlp


def memory_over_the_step(widths: list[int], batch: int) -> Any:
    """Return the live tensor bytes after each operator of a later step, by category [B].

    A gradient is one from when it stands at its parameter; until then, and all that an operator
    leaves besides, it is among activations and temporaries.
    """
    import torch
    from torch.nn import functional as F

    from grader.instruments.live_bytes import LiveBytes

    model = mlp(widths)
    optimizer = make_optimizer("adamw", model, foreach=False)
    x, y = torch.zeros(batch, widths[0]), torch.zeros(batch, dtype=torch.long)
    seen: list[tuple[int, int, int]] = []

    class Ledger(LiveBytes):
        def note(self) -> None:
            gradients = [p.grad.nbytes for p in model.parameters() if p.grad is not None]
            states = [t.nbytes for s in optimizer.state.values() for t in s.values()]
            seen.append((sum(gradients), sum(states), self.live))

        def __torch_dispatch__(self, *args: Any, **kwargs: Any) -> Any:
            result = super().__torch_dispatch__(*args, **kwargs)
            self.note()
            return result

    ledger, lengths = Ledger(), []
    with ledger:
        ledger.track(model, x, y)
        for _ in range(3):
            seen.clear()
            lengths.clear()
            loss = F.cross_entropy(model(x), y)
            lengths.append(len(seen))
            loss.backward()
            del loss
            ledger.note()
            lengths.append(len(seen))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            ledger.note()
            lengths.append(len(seen))
    parameters = sum(p.nbytes for p in model.parameters())
    fixed = parameters + x.nbytes + y.nbytes
    rows = {
        "parameters": [parameters] * len(seen),
        "batch": [fixed - parameters] * len(seen),
        "optimizer state": [states for _, states, _ in seen],
        "gradients": [gradients for gradients, _, _ in seen],
        "activations and temporaries": [
            live - fixed - gradients - states for gradients, states, live in seen
        ],
    }
    begins = [0, *lengths]
    return {
        "kind": "layers",
        "title": "Live tensor bytes over a step, by category",
        "unit": "B",
        "note": "after each operator of a later step; work space inside an operator is not seen",
        "rows": [{"name": name, "values": values} for name, values in rows.items()],
        "parts": [
            {"name": "optimizer" if name == "update" else name, "moments": end - begin}
            for name, begin, end in zip(PHASES, begins, lengths, strict=False)
        ],
    }
